// What reports use of three.js and uPlot; bundled into vendor/libraries.min.js as the global `libraries`.
export {
  AmbientLight, Box3, BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, DirectionalLight,
  DoubleSide, EdgesGeometry, ExtrudeGeometry, GridHelper, Group, HemisphereLight, Line, LineBasicMaterial,
  LineSegments, MOUSE, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, OrthographicCamera, PerspectiveCamera,
  Quaternion, Scene, Shape, SphereGeometry, Spherical, TOUCH, TorusGeometry, Vector2, Vector3, WebGLRenderer,
} from "three";
export {ConvexGeometry} from "three/addons/geometries/ConvexGeometry.js";
export {OrbitControls} from "three/addons/controls/OrbitControls.js";
export {default as uPlot} from "uplot";
