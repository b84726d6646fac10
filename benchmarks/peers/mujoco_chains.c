// Chains in MuJoCo. Loops are closed by `connect`, which is soft: impedance 0.9999, pulled back like a critically
// damped oscillator of frequency 1 / (2 h), as in mujoco_peers.c; contacts are switched off, Newton's solver is on.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chains.h"

enum { BYTES_FOR_BODY = 700 };

typedef struct Text {
  char *text;
  size_t used, size;
} Text;

#define PUT(t, ...) (t)->used += (size_t)snprintf((t)->text + (t)->used, (t)->size - (t)->used, __VA_ARGS__)

static double now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void write_open(Text *t, int count) {
  static const char *const axes[] = {"0 1 0", "0 0 1", "0.6 0.8 0"};
  PUT(t, "<option gravity='0 0 -9.81' integrator='RK4'><flag contact='disable' constraint='disable'/></option>\n");
  PUT(t, "<worldbody>\n");
  for (int i = 0; i < count; ++i) {
    PUT(t, "<body pos='%s 0 0'><joint axis='%s'/>", i == 0 ? "0" : "0.3", axes[i % 3]);
    PUT(t, "<inertial pos='0.15 0.01 0.02' mass='1' diaginertia='0.005 0.02 0.022'/>\n");
  }
  PUT(t, "<site name='P' pos='0.3 0 0'/>");
  for (int i = 0; i < count; ++i) {
    PUT(t, "</body>");
  }
  PUT(t, "</worldbody>\n");
}

// uprights A_i B_i; each but the last carries the bar to the next one
static void write_loops(Text *t, int count, double h) {
  PUT(t,
      "<option gravity='0 -9.81 0' integrator='RK4' solver='Newton' tolerance='1e-15' iterations='100'>"
      "<flag contact='disable'/></option>\n<worldbody>\n");
  for (int i = 0; i <= count; ++i) {
    PUT(t, "<body name='u%d' pos='%d 0 0'><joint axis='0 0 1'/>", i, i);
    PUT(t,
        "<inertial pos='0 0.5 0' mass='1' diaginertia='0.08333333333333333 0.08333333333333333 0.08333333333333333'/>");
    PUT(t, "<site name='B%d' pos='0 1 0'/>\n", i);
    if (i < count) {
      PUT(t, "<body name='b%d' pos='0 1 0'><joint axis='0 0 1'/>", i);
      PUT(t,
          "<inertial pos='0.5 0 0' mass='1' diaginertia='0.08333333333333333 0.08333333333333333 "
          "0.08333333333333333'/><site name='C%d' pos='1 0 0'/></body>",
          i + 1);
    }
    PUT(t, "</body>\n");
  }
  PUT(t, "</worldbody>\n<equality>\n");
  for (int i = 0; i < count; ++i) {
    PUT(t,
        "<connect body1='b%d' body2='u%d' anchor='1 0 0' solimp='0.9999 0.9999 0.001 0.5 2' solref='%.17g %.17g'/>\n",
        i, i + 1, -1 / (4 * h * h), -1 / h);
  }
  PUT(t, "</equality>\n");
}

static mjModel *read_model(ChainKind kind, int count, double h) {
  char message[300] = "";
  Text t = {.size = (size_t)BYTES_FOR_BODY * (size_t)(2 * count + 4)};
  t.text = malloc(t.size);
  mjVFS *files = malloc(sizeof *files);
  mjModel *model = NULL;
  if (t.text && files) {
    PUT(&t, "<mujoco>\n<compiler angle='radian'/>\n<size nconmax='0' njmax='%d' nstack='20000000'/>\n", 6 * count + 10);
    if (kind == CHAIN_OPEN) {
      write_open(&t, count);
    } else {
      write_loops(&t, count, h);
    }
    PUT(&t, "</mujoco>\n");
    mj_defaultVFS(files);
    if (mj_makeEmptyFileVFS(files, "chain.xml", (int)t.used) == 0) {
      memcpy(files->filedata[0], t.text, t.used);
      model = mj_loadXML("chain.xml", files, message, sizeof message);
    }
    mj_deleteVFS(files);
  }
  free(t.text);
  free(files);
  if (!model) {
    fprintf(stderr, "mujoco_chains: %s\n", message);
  }
  return model;
}

static double largest_gap(const mjModel *model, const mjData *data, int count) {
  double gap = 0;
  for (int i = 1; i <= count; ++i) {
    char names[2][16];
    (void)snprintf(names[0], sizeof names[0], "B%d", i);
    (void)snprintf(names[1], sizeof names[1], "C%d", i);
    const double *b = data->site_xpos + 3 * mj_name2id(model, mjOBJ_SITE, names[0]);
    const double *c = data->site_xpos + 3 * mj_name2id(model, mjOBJ_SITE, names[1]);
    gap = fmax(gap, hypot(hypot(b[0] - c[0], b[1] - c[1]), b[2] - c[2]));
  }
  return gap;
}

bool chain_mujoco(ChainKind kind, int count, double h, double end, ChainRun *run) {
  mjModel *model = read_model(kind, count, h);
  mjData *data = model ? mj_makeData(model) : NULL;
  if (!data) {
    mj_deleteModel(model);
    return false;
  }
  model->opt.timestep = h;
  for (int i = 0; i < model->nv && kind == CHAIN_LOOPS; ++i) {  // uprights turn, bars keep their direction
    data->qvel[i] = i % 2 == 0 ? -1 : 1;
  }
  *run = (ChainRun){.steps = lround(end / h)};
  double began = now();
  for (long step = 0; step < run->steps; ++step) {
    mj_step(model, data);
  }
  run->seconds = now() - began;
  mj_kinematics(model, data);
  int site = mj_name2id(model, mjOBJ_SITE, kind == CHAIN_OPEN ? "P" : "B0");
  memcpy(run->position, data->site_xpos + 3 * site, sizeof run->position);
  run->gap = kind == CHAIN_LOOPS ? largest_gap(model, data, count) : 0;
  mj_deleteData(data);
  mj_deleteModel(model);
  return true;
}

const char *chain_mujoco_version(void) { return mj_versionString(); }
