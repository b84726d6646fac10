// Chains in Simbody: mobilised bodies on pins; loops are closed by two points in planes each, since a ball would be
// redundant in the plane. Constraints are exact and projected to a tenth of the accuracy (Simbody's own rule).
#include <simbody/SimTKsimbody.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "chains.h"

using namespace SimTK;

static double now() {
  struct timespec time;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

namespace {

struct Chain {
  MultibodySystem system;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  std::vector<MobilizedBody> uprights, bars;
  MobilizedBody last;
  Vec3 station;
  Chain() : matter(system), forces(system) {}
};

// pins turn about z of their frames
Transform pin(const Vec3 &axis, const Vec3 &place) { return Transform(Rotation(UnitVec3(axis), ZAxis), place); }

void make_open(Chain &chain, int count) {
  const Vec3 axes[] = {Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0.6, 0.8, 0)};
  const Vec3 com(0.15, 0.01, 0.02);
  Body::Rigid link(MassProperties(1, com, Inertia(0.005, 0.02, 0.022).shiftFromMassCenter(com, 1)));
  Force::UniformGravity(chain.forces, chain.matter, Vec3(0, 0, -9.81));
  chain.last = chain.matter.Ground();
  for (int i = 0; i < count; ++i) {
    const Vec3 &axis = axes[i % 3];
    chain.last = MobilizedBody::Pin(chain.last, pin(axis, Vec3(i == 0 ? 0 : 0.3, 0, 0)), link, pin(axis, Vec3(0)));
  }
  chain.station = Vec3(0.3, 0, 0);
}

void make_loops(Chain &chain, int count) {
  const Vec3 half_up(0, 0.5, 0), half_along(0.5, 0, 0), z(0, 0, 1);
  const Inertia central(1.0 / 12);
  Body::Rigid upright(MassProperties(1, half_up, central.shiftFromMassCenter(half_up, 1)));
  Body::Rigid bar(MassProperties(1, half_along, central.shiftFromMassCenter(half_along, 1)));
  Force::UniformGravity(chain.forces, chain.matter, Vec3(0, -9.81, 0));
  for (int i = 0; i <= count; ++i) {
    chain.uprights.push_back(
        MobilizedBody::Pin(chain.matter.Ground(), pin(z, Vec3(i, 0, 0)), upright, pin(z, Vec3(0))));
  }
  for (int i = 0; i < count; ++i) {
    chain.bars.push_back(MobilizedBody::Pin(chain.uprights[i], pin(z, Vec3(0, 1, 0)), bar, pin(z, Vec3(0))));
    Constraint::PointInPlane(chain.uprights[i + 1], UnitVec3(1, 0, 0), 0, chain.bars[i], Vec3(1, 0, 0));
    Constraint::PointInPlane(chain.uprights[i + 1], UnitVec3(0, 1, 0), 1, chain.bars[i], Vec3(1, 0, 0));
  }
  chain.last = chain.uprights[0];
  chain.station = Vec3(0, 1, 0);
}

void run_chain(ChainKind kind, int count, double accuracy, double end, ChainRun *run) {
  Chain chain;
  if (kind == CHAIN_OPEN) {
    make_open(chain, count);
  } else {
    make_loops(chain, count);
  }
  State state = chain.system.realizeTopology();
  for (const MobilizedBody &body : chain.uprights) {
    body.setOneU(state, 0, -1);
  }
  for (const MobilizedBody &body : chain.bars) {
    body.setOneU(state, 0, 1);
  }
  chain.system.realizeModel(state);
  RungeKuttaMersonIntegrator integrator(chain.system);
  integrator.setAccuracy(accuracy);
  integrator.initialize(state);
  const double began = now();
  while (integrator.getTime() < end) {
    integrator.stepTo(end);
  }
  run->seconds = now() - began;
  run->steps = integrator.getNumStepsTaken();
  const State &final = integrator.getState();
  chain.system.realize(final, Stage::Position);
  const Vec3 at = chain.last.findStationLocationInGround(final, chain.station);
  for (int k = 0; k < 3; ++k) {
    run->position[k] = at[k];
  }
  run->gap = 0;
  for (int i = 0; i < (int)chain.bars.size(); ++i) {
    const Vec3 b = chain.uprights[i + 1].findStationLocationInGround(final, Vec3(0, 1, 0));
    const Vec3 c = chain.bars[i].findStationLocationInGround(final, Vec3(1, 0, 0));
    run->gap = std::max(run->gap, (double)(b - c).norm());
  }
}

}  // namespace

bool chain_simbody(ChainKind kind, int count, double accuracy, double end, ChainRun *run) {
  try {
    run_chain(kind, count, accuracy, end, run);
    return true;
  } catch (const std::exception &exception) {
    std::fprintf(stderr, "simbody_chains: %s\n", exception.what());
    return false;
  }
}

const char *chain_simbody_version(void) {
  static std::string text;
  int major, minor, build;
  SimTK_version_simbody(&major, &minor, &build);
  text = std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
  return text.c_str();
}
