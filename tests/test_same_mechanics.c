// Natural and relative coordinates are the same mechanics, element by element, to rounding: what joints let bodies do
// (`motion`, the recursions of tree/tree*.c) against what they forbid (`connect`, `rows`), with masses and forces.
//
// For every tests/models/element_*.yaml and every shipped model, at positions z, velocities and accelerations of the
// tree that are admissible and otherwise random:
//   bodies    the points and axes of all bodies, carried over to natural coordinates (linear equations, as many as
//             there are: they must not contradict each other, nor leave a coordinate open), give q, v, a
//   rates     velocities and accelerations of the bodies are the time derivatives of their positions along z(t)
//   hands     every body is right-handed, which the rows do not say
//   rows      Phi, Phidot and Phiddot are zero there in natural coordinates
//   freedoms  there are as many in both
//   power     for every admissible velocity w of the tree, and what it does to the natural coordinates, the power of
//             inertia and forces is the same: w_z.(M a - Q)_z = w_q.(M a - Q)_q
//   energy    so are the energy and the power of forces without potential
//   branch    the start is roughly the same; rows hold for axes that point the other way, too
//   centres   --reference-point mass-centre gives the same M a - Q
// Together: the same accelerations and reactions. Nothing is solved by the code under test but the first position.
//
// Seen to fail: see tests/planted/ (those with "test: test_same_mechanics"), each of which is this test with an error.
#include "model/joint.h"
#include "simulation/simulation.h"
#include "support.h"
#include "terms/elements.h"
#include "tree/tree.h"

static MbsContext *context;
static double worst;

enum { LARGEST = 400, STATES = 3 };

static void ensure_small(const char *path, const char *what, double error, double scale) {
  worst = fmax(worst, error / scale);
  if (!(error <= 1e-10 * scale)) {  // systems of linear equations with conditions up to some thousands
    (void)fprintf(stderr, "%s: %s: natural and relative coordinates differ by %.3g of %.3g\n", path, what, error,
                  scale);
    exit(1);
  }
}

// ---- linear equations, one by one: rows made orthonormal, as far as they are new ----
typedef struct Equations {
  int n, count, rank;
  double *rows, *values;  // orthonormal, and what rows.x is
  double contradiction;   // the largest, of those that were not new
} Equations;

static Equations equations_of(int n) {
  return (Equations){.n = n, .rows = zeros((n + 1) * (n + 1)), .values = zeros(n + 1)};
}

static void destroy_equations(Equations *e) {
  free(e->rows);
  free(e->values);
}

static double product(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

// row.x = value; the row is spoilt
static void add_equation(Equations *e, double *row, double value) {
  double size = sqrt(product(e->n, row, row));
  e->count += 1;
  for (int again = 0; again < 2; ++again) {  // twice is enough
    for (int k = 0; k < e->rank; ++k) {
      double part = product(e->n, row, e->rows + k * e->n);
      value -= part * e->values[k];
      for (int i = 0; i < e->n; ++i) {
        row[i] -= part * e->rows[k * e->n + i];
      }
    }
  }
  double left = sqrt(product(e->n, row, row));
  if (left <= 1e-7 * size || size == 0) {
    e->contradiction = fmax(e->contradiction, fabs(value));
    return;
  }
  ENSURE(e->rank < e->n);
  for (int i = 0; i < e->n; ++i) {
    e->rows[e->rank * e->n + i] = row[i] / left;
  }
  e->values[e->rank++] = value / left;
}

// the nearest x that fulfils them
static void project(const Equations *e, double *x) {
  for (int k = 0; k < e->rank; ++k) {
    double off = e->values[k] - product(e->n, x, e->rows + k * e->n);
    for (int i = 0; i < e->n; ++i) {
      x[i] += off * e->rows[k * e->n + i];
    }
  }
}

// ---- admissible states ----
typedef struct Side {
  MbsSimulation *simulation;
  MbsSystem *system;
  MbsState state;
  double *zero, *level, *unit;
} Side;

static Side create(const MbsModel *model, const MbsSettings *settings, const char *coordinates, bool is_about_centres) {
  Side side;
  MbsSettings own = *settings;
  (void)snprintf(own.coordinates, sizeof own.coordinates, "%s", coordinates);
  own.is_about_mass_centres = is_about_centres;
  own.tree[0] = own.cut[0] = '\0';
  ENSURE_OK(context, mbs_simulation_create(context, model, &own, 0, NULL, NULL, &side.simulation));
  ENSURE_OK(context, mbs_simulation_start(context, side.simulation));
  side.system = side.simulation->system;
  ENSURE_OK(context, mbs_state_create(context, side.system, &side.state));
  mbs_state_copy(side.system, &side.simulation->state, &side.state);
  memset(side.state.total, 0, (size_t)side.system->m * sizeof *side.state.total);  // drivers do no work
  side.zero = zeros(side.system->m);
  side.level = zeros(side.system->m);
  side.unit = zeros(side.system->nq);
  ENSURE(side.system->nq <= LARGEST);
  return side;
}

static void destroy(Side *side) {
  free(side->zero);
  free(side->level);
  free(side->unit);
  mbs_simulation_destroy(side->simulation);
}

enum { POSITION, VELOCITY, ACCELERATION };

static void constraints(Side *side, int level, double *values) {
  mbs_signal_bank_evaluate(side->system, &side->state);
  mbs_terms_constraints(side->system, &side->state, level == POSITION ? values : NULL,
                        level == VELOCITY ? values : NULL, level == ACCELERATION ? values : NULL);
}

// J x = J x0 - (what the level of constraints is at x0): Phidot is linear in velocities, and J is its slope, one column
// for each
static Equations constraint_equations(Side *side, int level) {
  int n = side->system->n, m = side->system->m;
  double *J = zeros(m * n), *row = zeros(n);
  double *x = level == POSITION ? side->state.q : level == VELOCITY ? side->state.v : side->state.a;
  Equations e = equations_of(n);
  constraints(side, VELOCITY, side->zero);
  for (int k = 0; k < n; ++k) {
    double was = side->state.v[k];
    side->state.v[k] = was + 1;
    constraints(side, VELOCITY, side->level);
    side->state.v[k] = was;
    for (int i = 0; i < m; ++i) {
      J[i * n + k] = side->level[i] - side->zero[i];
    }
  }
  constraints(side, level, side->level);
  for (int i = 0; i < m; ++i) {
    bool is_held = level != POSITION || !side->system->mode.rows[i].is_nonholonomic;
    memcpy(row, J + i * n, (size_t)n * sizeof *row);
    double value = product(n, row, x) - side->level[i];
    if (is_held) {
      add_equation(&e, row, value);
    }
  }
  free(J);
  free(row);
  return e;
}

static void satisfy(Side *side, int level) {
  double *x = level == POSITION ? side->state.q : level == VELOCITY ? side->state.v : side->state.a;
  double off = 1;
  for (int i = 0; i < 50 && off > 1e-13; ++i) {
    Equations e = constraint_equations(side, level);
    project(&e, x);
    destroy_equations(&e);
    constraints(side, level, side->level);
    off = largest_of(side->system->m, side->level);
    off = level == POSITION ? off : off / (1 + largest_of(side->system->n, x));
  }
  ENSURE(off < 1e-11);
}

static void choose_state(Side *tree, uint64_t *seed) {
  MbsState *state = &tree->state;
  for (int i = 0; i < tree->system->n; ++i) {
    state->q[i] += 0.05 * random_number(seed);
    state->v[i] = random_number(seed);
    state->a[i] = random_number(seed);
  }
  for (int level = POSITION; level <= ACCELERATION; ++level) {
    satisfy(tree, level);
  }
}

// ---- from the tree to natural coordinates ----
// the coefficients of a form as numbers: by coordinate of `system`, for component k
static void read_form(const MbsSystem *system, const MbsForm *form, int k, double *row) {
  memset(row, 0, (size_t)system->nq * sizeof *row);
  for (int i = 0; i < form->count; ++i) {
    MbsNode nodes[2] = {form->terms[i].a, form->terms[i].b};
    double ab[2];
    int first = system->entity_first[form->terms[i].entity];
    ENSURE_OK(context, mbs_blueprint_nominal(context, system->blueprint, 2, nodes, ab));
    row[first + k] += ab[0];
    if (ab[1] != 0) {  // J: in the plane
      row[first + 1 - k] += k == 0 ? -ab[1] : ab[1];
    }
  }
}

// What the two kinds of coordinates must have in common: component k of a point or axis of a body, as a row of each.
typedef struct Shared {
  int count, capacity;
  double *natural, *bodies;
} Shared;

static void share(Shared *shared, const MbsSystem *natural, const MbsForm *by_natural, const MbsSystem *bodies,
                  const MbsForm *by_bodies, int k) {
  ENSURE(shared->count < shared->capacity);
  read_form(natural, by_natural, k, shared->natural + shared->count * natural->nq);
  read_form(bodies, by_bodies, k, shared->bodies + shared->count * bodies->nq);
  shared->count += 1;
}

static Shared list_shared(const MbsSystem *natural, const MbsSystem *bodies) {
  MbsBlueprint *first = natural->blueprint, *second = bodies->blueprint;
  Shared shared = {.capacity = first->user_coordinates.count};
  for (int b = 1; b < first->bodies.count; ++b) {
    shared.capacity += 3 * (first->bodies.items[b].point_count + 3);
  }
  shared.natural = zeros(shared.capacity * natural->nq);
  shared.bodies = zeros(shared.capacity * bodies->nq);
  for (int b = 1; b < first->bodies.count; ++b) {
    const MbsBlueprintBody *body = &first->bodies.items[b];
    int axes = body->kind != MBS_BODY_RIGID ? 0 : natural->dimension == 2 ? 1 : 3;
    for (int i = 0; i < body->point_count + axes; ++i) {
      MbsForm forms[2];
      MbsDirection axis = mbs_direction_axis(first->graph, b, i - body->point_count);
      MbsDirection other = mbs_direction_axis(second->graph, b, i - body->point_count);
      if (i < body->point_count) {
        ENSURE_OK(context, mbs_form_of_point(context, first, (MbsPointReference){b, i}, &forms[0]));
        ENSURE_OK(context, mbs_form_of_point(context, second, (MbsPointReference){b, i}, &forms[1]));
      } else {
        ENSURE_OK(context, mbs_form_of_direction(context, first, &axis, &forms[0]));
        ENSURE_OK(context, mbs_form_of_direction(context, second, &other, &forms[1]));
      }
      for (int k = 0; k < natural->dimension; ++k) {
        share(&shared, natural, &forms[0], bodies, &forms[1], k);
      }
    }
  }
  for (int i = 0; i < first->user_coordinates.count; ++i) {
    shared.natural[shared.count * natural->nq + natural->entity_first[first->user_coordinates.items[i].entity]] = 1;
    shared.bodies[shared.count * bodies->nq + bodies->entity_first[second->user_coordinates.items[i].entity]] = 1;
    shared.count += 1;
  }
  return shared;
}

// x of the natural coordinates (its fixed ones are there already) from y of the bodies
static void carry(const char *path, const char *what, const Shared *shared, const MbsSystem *natural,
                  const MbsSystem *bodies, const double *y, double *x) {
  int n = natural->n;
  double *row = zeros(natural->nq), scale = 1 + largest_of(bodies->nq, y);
  Equations e = equations_of(n);
  for (int i = 0; i < shared->count; ++i) {
    const double *from = shared->natural + i * natural->nq;
    double value = product(bodies->nq, shared->bodies + i * bodies->nq, y);
    value -= product(natural->nq - n, from + n, x + n);
    memcpy(row, from, (size_t)n * sizeof *row);
    add_equation(&e, row, value);
  }
  ENSURE(e.rank == n);
  ensure_small(path, what, e.contradiction, scale);
  memset(x, 0, (size_t)n * sizeof *x);
  project(&e, x);
  destroy_equations(&e);
  free(row);
}

// ---- one model ----
// linear equations and rows are blind to mirror images
static void check_hands(const char *path, const MbsSystem *bodies, const MbsState *x) {
  MbsBlueprint *blueprint = bodies->blueprint;
  double *row = zeros(bodies->nq);
  for (int b = 1; b < blueprint->bodies.count && bodies->dimension == 3; ++b) {
    double e[3][3], normal[3];
    for (int i = 0; i < 3 && blueprint->bodies.items[b].kind == MBS_BODY_RIGID; ++i) {
      MbsDirection axis = mbs_direction_axis(blueprint->graph, b, i);
      MbsForm form;
      ENSURE_OK(context, mbs_form_of_direction(context, blueprint, &axis, &form));
      for (int k = 0; k < 3; ++k) {
        read_form(bodies, &form, k, row);
        e[i][k] = product(bodies->nq, row, x->q);
      }
    }
    if (blueprint->bodies.items[b].kind != MBS_BODY_RIGID) {
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      normal[k] = e[0][i] * e[1][j] - e[0][j] * e[1][i];
    }
    if (!(fabs(product(3, normal, e[2]) - 1) < 1e-10)) {
      (void)fprintf(stderr, "%s: body \"%s\" is left-handed in relative coordinates\n", path,
                    blueprint->bodies.items[b].name);
      exit(1);
    }
  }
  free(row);
}

// v and a of the bodies are the time derivatives of x along z + z' tau + z'' tau^2/2: central differences of order
// eight, whose error at this step is some 1e-10 of the derivatives
static void check_rates(const char *path, Side *tree) {
  static const double first[] = {0, 4. / 5, -1. / 5, 4. / 105, -1. / 280};
  static const double second[] = {-205. / 72, 8. / 5, -1. / 5, 8. / 315, -1. / 560};
  const double h = 0.01;
  MbsTree *nodes = tree->system->tree;
  MbsState moved;
  int n = tree->system->n, size = nodes->inner->n;
  double *v = zeros(size), *a = zeros(size);
  ENSURE_OK(context, mbs_state_create(context, tree->system, &moved));
  for (int k = -4; k <= 4; ++k) {
    double tau = k * h;
    mbs_state_copy(tree->system, &tree->state, &moved);
    moved.t += tau;
    for (int i = 0; i < n; ++i) {
      moved.q[i] += (tree->state.v[i] + tree->state.a[i] * tau / 2) * tau;
      moved.v[i] += tree->state.a[i] * tau;
    }
    mbs_state_place_fixed(tree->system, &moved);
    const double *q = mbs_tree_follow(nodes, &moved, false)->q;
    for (int i = 0; i < size; ++i) {
      v[i] += (k < 0 ? -first[-k] : first[k]) * q[i] / h;
      a[i] += second[abs(k)] * q[i] / (h * h);
    }
  }
  const MbsState *x = mbs_tree_follow(nodes, &tree->state, false);
  double fast = 1 + largest_of(size, x->v), faster = fast * fast + largest_of(size, x->a);
  for (int i = 0; i < size; ++i) {
    if (!(fabs(v[i] - x->v[i]) <= 1e-7 * fast) || !(fabs(a[i] - x->a[i]) <= 1e-6 * faster)) {
      (void)fprintf(stderr, "%s: the tree moves %s by %.10g, %.10g; the derivatives of its position are %.10g, %.10g\n",
                    path, nodes->inner->coordinate_names[i], x->v[i], x->a[i], v[i], a[i]);
      exit(1);
    }
  }
  free(v);
  free(a);
}

static void check_power(const char *path, Side *tree, Side *natural, const Shared *shared, uint64_t *seed) {
  MbsSystem *bodies = tree->system->tree->inner;
  int n = tree->system->n;
  double *f_z = zeros(tree->system->nq), *f_q = zeros(natural->system->nq), *w = zeros(n);
  double *y = zeros(bodies->nq), *w_q = zeros(natural->system->nq);
  mbs_terms_forces(tree->system, &tree->state, MBS_PART_BALANCE, f_z);
  mbs_terms_forces(natural->system, &natural->state, MBS_PART_BALANCE, f_q);
  Equations held = constraint_equations(tree, VELOCITY), held_naturally = constraint_equations(natural, VELOCITY);
  int freedoms = n - held.rank;
  if (freedoms != natural->system->n - held_naturally.rank) {
    (void)fprintf(stderr, "%s: %d freedoms in relative coordinates, %d in natural ones\n", path, freedoms,
                  natural->system->n - held_naturally.rank);
    exit(1);
  }
  memset(held.values, 0, (size_t)held.rank * sizeof *held.values);
  for (int i = 0; i < freedoms; ++i) {
    for (int k = 0; k < n; ++k) {
      w[k] = random_number(seed);
    }
    project(&held, w);
    // what w does to the bodies: the difference of two velocities
    memcpy(y, mbs_tree_follow(tree->system->tree, &tree->state, false)->v, (size_t)bodies->nq * sizeof *y);
    for (int k = 0; k < n; ++k) {
      tree->state.v[k] += w[k];
    }
    const double *moved = mbs_tree_follow(tree->system->tree, &tree->state, false)->v;
    for (int k = 0; k < bodies->nq; ++k) {
      y[k] = moved[k] - y[k];
    }
    for (int k = 0; k < n; ++k) {
      tree->state.v[k] -= w[k];
    }
    memset(w_q, 0, (size_t)natural->system->nq * sizeof *w_q);
    carry(path, "virtual velocities", shared, natural->system, bodies, y, w_q);
    double power = product(n, w, f_z), naturally = product(natural->system->n, w_q, f_q), scale = 1e-3;
    for (int k = 0; k < natural->system->n; ++k) {
      scale += fabs(w_q[k] * f_q[k]);
    }
    ensure_small(path, "virtual power of inertia and forces", fabs(power - naturally), scale);
  }
  destroy_equations(&held);
  destroy_equations(&held_naturally);
  free(f_z);
  free(f_q);
  free(w);
  free(y);
  free(w_q);
}

static void check_state(const char *path, Side *tree, Side *centred, Side *natural, const Shared *shared,
                        uint64_t *seed) {
  static const char *const names[] = {"positions of bodies", "velocities of bodies", "accelerations of bodies"};
  static const char *const levels[] = {"Phi", "Phidot", "Phiddot"};
  MbsSystem *bodies = tree->system->tree->inner;
  const MbsState *x = mbs_tree_follow(tree->system->tree, &tree->state, false);
  const double *from[] = {x->q, x->v, x->a};
  double *to[] = {natural->state.q, natural->state.v, natural->state.a};
  mbs_state_place_fixed(natural->system, &natural->state);
  check_hands(path, bodies, x);
  check_rates(path, tree);
  x = mbs_tree_follow(tree->system->tree, &tree->state, false);
  for (int level = POSITION; level <= ACCELERATION; ++level) {
    carry(path, names[level], shared, natural->system, bodies, from[level], to[level]);
  }
  for (int level = POSITION; level <= ACCELERATION; ++level) {
    constraints(natural, level, natural->level);
    double scale = 1 + largest_of(natural->system->nq, to[level]) + largest_of(natural->system->nq, to[VELOCITY]);
    ensure_small(path, levels[level], largest_of(natural->system->m, natural->level), scale * scale);
  }
  MbsEnergy energy[2];
  mbs_signal_bank_evaluate(tree->system, &tree->state);
  mbs_terms_energy(tree->system, &tree->state, &energy[0]);
  mbs_signal_bank_evaluate(natural->system, &natural->state);
  mbs_terms_energy(natural->system, &natural->state, &energy[1]);
  double kinetic = energy[0].kinetic, potential = energy[0].potential, power = energy[0].power;
  ensure_small(path, "kinetic energy", fabs(energy[1].kinetic - kinetic), 10 + kinetic);
  ensure_small(path, "potential energy", fabs(energy[1].potential - potential), 10 + fabs(potential));
  // of a ground that moves, it is that of what holds the bodies, which is others' part
  double other = natural->system->moving.count > 0 ? power : energy[1].power;
  ensure_small(path, "power without potential", fabs(other - power), 10 + fabs(power));
  check_power(path, tree, natural, shared, seed);
  // the other reference point
  int nq = tree->system->nq;
  double *f = zeros(nq), *g = zeros(nq);
  mbs_state_copy(tree->system, &tree->state, &centred->state);
  mbs_terms_forces(tree->system, &tree->state, MBS_PART_BALANCE, f);
  mbs_terms_forces(centred->system, &centred->state, MBS_PART_BALANCE, g);
  double scale = largest_of(nq, f);
  for (int i = 0; i < nq; ++i) {
    ensure_small(path, "forces with centres of mass as reference points", fabs(f[i] - g[i]), scale + 1e-3);
  }
  free(f);
  free(g);
}

// Rows hold on the other branch too (an axis that points the other way), so the starts are compared: bodies stand
// roughly where they stand in natural coordinates, which is closer than any other branch is.
static void check_branch(const char *path, Side *tree, Side *natural, const Shared *shared) {
  MbsSystem *bodies = tree->system->tree->inner;
  const MbsState *x = mbs_tree_follow(tree->system->tree, &tree->simulation->state, false);
  double *q = zeros(natural->system->nq);
  memcpy(q, natural->simulation->state.q, (size_t)natural->system->nq * sizeof *q);
  carry(path, "start", shared, natural->system, bodies, x->q, q);
  for (int i = 0; i < natural->system->n; ++i) {
    if (!(fabs(q[i] - natural->simulation->state.q[i]) < 1e-9)) {
      (void)fprintf(stderr, "%s: %s starts at %g in relative coordinates, at %g in natural ones\n", path,
                    natural->system->coordinate_names[i], q[i], natural->simulation->state.q[i]);
      exit(1);
    }
  }
  free(q);
}

static int model_count;
static bool is_in_a_tree[64];  // by type of joint

static void note_joints(const MbsBlueprint *blueprint) {
  for (int i = 0; i < blueprint->tree.count; ++i) {
    const MbsRecord *joint = blueprint->tree.items[i].joint;
    if (joint) {
      is_in_a_tree[joint->type] = true;
    }
  }
}

// a joint's motion that carries no body anywhere is not looked at
static void every_motion_was_there(void) {
  for (int i = 0; mbs_joint_types[i]; ++i) {
    ENSURE(i < MBS_COUNT(is_in_a_tree));
    if (mbs_joint_types[i]->motion && !is_in_a_tree[i]) {
      (void)fprintf(stderr, "joint %s is in the tree of no model\n", mbs_joint_types[i]->record.name);
      exit(1);
    }
  }
}

static void check_model(const char *path, void *user) {
  (void)user;
  MbsModel *model = read_model(context, path);
  MbsArena *arena = mbs_arena_create();
  MbsSettings settings;
  uint64_t seed = 5;
  // some ask for multipliers, which are others in each
  ((MbsValue *)mbs_record_value(&model->root, MBS_MODEL_OBJECTIVES))->count = 0;
  ENSURE_OK(context, mbs_settings_read(context, arena, model, &settings));
  Side tree = create(model, &settings, "relative", false), centred = create(model, &settings, "relative", true);
  Side natural = create(model, &settings, "natural", false);
  if (tree.system->tree) {  // there are bodies
    Shared shared = list_shared(natural.system, tree.system->tree->inner);
    note_joints(tree.system->tree->inner->blueprint);
    for (int i = 0; i < STATES; ++i) {
      memcpy(tree.state.q, tree.simulation->state.q, (size_t)tree.system->nq * sizeof *tree.state.q);
      choose_state(&tree, &seed);
      check_state(path, &tree, &centred, &natural, &shared, &seed);
    }
    check_branch(path, &tree, &natural, &shared);
    free(shared.natural);
    free(shared.bodies);
    model_count += 1;
  }
  destroy(&tree);
  destroy(&centred);
  destroy(&natural);
  mbs_arena_destroy(arena);
  mbs_model_destroy(model);
}

int main(int count, char **arguments) {
  context = mbs_context_create();
  ENSURE(context);
  for (int i = 1; i < count; ++i) {
    check_model(arguments[i], NULL);
  }
  if (count == 1) {
    (void)for_each_file("tests/models/element_*.yaml", check_model, NULL);
    ENSURE(model_count > 50);
    every_motion_was_there();
    (void)for_each_file("models/*.yaml", check_model, NULL);
  }
  (void)printf("%d models: largest relative difference %.2g\n", model_count, worst);
  mbs_context_destroy(context);
  return 0;
}
