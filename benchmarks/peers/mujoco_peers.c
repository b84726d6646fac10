// The five-bar in MuJoCo: two chains of hinges, whose ends an equality constraint of MuJoCo's, which is soft, holds
// together; springs as tendons; its classical Runge-Kutta method with fixed steps h; psi1 by Simpson's rule; the
// gradient by central differences of two runs for each parameter.
//
// The constraint is as hard as it may be: impedance 0.9999, the most there is, and pulled back like a critically damped
// oscillator with the frequency 1 / (2 h), which the method still bears. What is left of the gap falls with h^2 and is
// in the table.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>

#include "peers.h"

static const char five_bar[] =
    "<mujoco model='five-bar'>\n"
    "<compiler angle='radian'/>\n"
    "<option gravity='0 -9.81 0' integrator='RK4' solver='Newton' tolerance='1e-15' iterations='100'/>\n"
    "<worldbody>\n"
    "<site name='B' pos='0.5 0 0'/>\n"
    "<body name='A1' pos='-0.5 0 0'><joint axis='0 0 1'/>\n"
    "<inertial pos='-0.5 -0.5 0' mass='1' diaginertia='0.16666666666666666 0.16666666666666666 0.16666666666666666'/>\n"
    "<site name='P1' pos='-1 -1 0'/>\n"
    "<body name='L12' pos='-1 -1 0'><joint axis='0 0 1'/>\n"
    "<inertial pos='0.75 -0.5 0' mass='1.5' diaginertia='0.40625 0.40625 0.40625'/>\n"
    "<site name='P2' pos='1.5 -1 0'/></body></body>\n"
    "<body name='L3B' pos='0.5 0 0'><joint axis='0 0 1'/>\n"
    "<inertial pos='0.5 -0.5 0' mass='1' diaginertia='0.16666666666666666 0.16666666666666666 0.16666666666666666'/>\n"
    "<body name='L23' pos='1 -1 0'><joint axis='0 0 1'/>\n"
    "<inertial pos='-0.75 -0.5 0' mass='1.5' diaginertia='0.40625 0.40625 0.40625'/>\n"
    "<site name='Q2' pos='-1.5 -1 0'/></body></body>\n"
    "</worldbody>\n"
    "<tendon><spatial stiffness='100'><site site='P1'/><site site='B'/></spatial>\n"
    "<spatial stiffness='100'><site site='P2'/><site site='B'/></spatial></tendon>\n"
    "<equality><connect body1='L12' body2='L23' anchor='1.5 -1 0' solimp='0.9999 0.9999 0.001 0.5 2'/></equality>\n"
    "</mujoco>\n";

static mjModel *read_model(void) {
  char message[300] = "";
  mjVFS files;
  mj_defaultVFS(&files);
  int size = (int)strlen(five_bar);
  mjModel *model = NULL;
  if (mj_makeEmptyFileVFS(&files, "five_bar.xml", size) == 0) {
    memcpy(files.filedata[0], five_bar, (size_t)size);
    model = mj_loadXML("five_bar.xml", &files, message, sizeof message);
  }
  mj_deleteVFS(&files);
  if (!model) {
    fprintf(stderr, "mujoco_peers: %s\n", message);
  }
  return model;
}

static double run(const mjModel *model, mjData *data, long steps, double *gap) {
  int p = mj_name2id(model, mjOBJ_SITE, "P2"), q = mj_name2id(model, mjOBJ_SITE, "Q2");
  double sum = 0;
  mj_resetData(model, data);
  for (long step = 0; step <= steps; ++step) {
    mj_kinematics(model, data);
    const double *at = data->site_xpos + 3 * p, *other = data->site_xpos + 3 * q;
    double weight = step == 0 || step == steps ? 1 : step % 2 == 1 ? 4 : 2;
    sum += weight * (at[0] * at[0] + (at[1] + 2) * (at[1] + 2));
    *gap = fmax(*gap, hypot(at[0] - other[0], at[1] - other[1]));
    if (step < steps) {
      mj_step(model, data);
    }
  }
  return sum * model->opt.timestep / 3;
}

long peer_mujoco(long steps, double *gradient, double *gap) {
  static mjModel *model;
  static mjData *data;
  if (!model) {
    model = read_model();
    data = model ? mj_makeData(model) : NULL;
  }
  if (!data) {
    return -1;
  }
  const double h = 5.0 / (double)steps, change = 1e-5;
  model->opt.timestep = h;
  model->eq_solref[0] = -1 / (4 * h * h);
  model->eq_solref[1] = -1 / h;
  *gap = 0;
  for (int k = 0; k < 2; ++k) {
    double sides[2];
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < 2; ++i) {
        model->tendon_lengthspring[i] = hand_parameters[i] + (i == k ? (side == 0 ? change : -change) : 0);
      }
      sides[side] = run(model, data, steps, gap);
    }
    gradient[k] = (sides[0] - sides[1]) / (2 * change);
  }
  return steps;
}

const char *peer_mujoco_version(void) { return mj_versionString(); }
