// hc_site: kernels that take the place of several primitive ones.
#include <charconv>

#include <fmt/format.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/Source.h"
#include "codegen/kernels/scratch.h"
#include "codegen/kernels/step.h"

namespace ds4 {

namespace {

// Workgroups of a cluster and teams of each, for kernels/hc_site_cuda.h; no teams: the width does not suit.
struct SiteCluster {
  int workgroups = 0, teams = 0;
  explicit SiteCluster(int width) {
    constexpr int kChannels = 128, kMostWorkgroups = 8, kMostTeams = 4; // eight are as many as every device takes
    if (width % kChannels)
      return;
    const int all = width / kChannels;
    workgroups = kMostWorkgroups;
    while (all % workgroups)
      --workgroups;
    if (workgroups > 1 && all / workgroups <= kMostTeams)
      teams = all / workgroups;
  }
};

} // namespace

bool hasClusters(std::string_view architecture) {
  constexpr std::string_view kPrefix = "sm_";
  int capability = 0; // stays as it is where the number is too long
  if (architecture.starts_with(kPrefix))
    std::from_chars(architecture.data() + kPrefix.size(), architecture.data() + architecture.size(), capability);
  return capability >= 90 && capability < 120;
}

bool HcSiteShape::suitsClusters(int width) { return SiteCluster(width).teams > 0; }

KernelSpec emitKernel(const HcSiteShape &s) {
  constexpr std::string_view op = "hc_site";
  constexpr int kWaves = 8, kTeams = 2, kSlots = 32; // of kernels/hc_site.h
  const DeviceFormat &fn = elementFormat(op, s.fnFormat), &base = vectorFormat(op, s.baseFormat, 24);
  const DeviceFormat &scale = vectorFormat(op, s.scaleFormat, 3), &norm = elementFormat(op, s.normFormat);
  requireShape(s.width > 0 && s.width % HcSiteShape::kChannels == 0, op,
               fmt::format("a width of {} is no multiple of {}", s.width, HcSiteShape::kChannels));
  const int workgroups = s.width / HcSiteShape::kChannels;
  const std::string previous = s.writes ? "y, post, comb" : "nullptr, nullptr, nullptr";
  const std::string types = fmt::format("{}, {}, {}, {}, {}", fn.type, base.type, scale.type, norm.type, s.width);
  const std::string operands =
      fmt::format("{}, {{{}, {}, {}}}, {{streams, {}}}, {{fn, base, scale, norm}}, "
                  "{{newStreams, newPost, newComb, x}}",
                  s.iterations - s.deferred, floatLiteral(s.eps), floatLiteral(s.hcEps), floatLiteral(s.normEps), previous);
  KernelSource source{
      .op = op,
      .specialisation =
          fmt::format("{}_{}_{}_{}_d{}{}_i{}_eps{}_hc{}_norm{}", s.fnFormat, s.baseFormat, s.scaleFormat, s.normFormat, s.width,
                      s.writes ? "" : "_first", s.iterations, floatName(s.eps), floatName(s.hcEps), floatName(s.normEps)),
      .formats = {&fn, &base, &scale, &norm},
      .parameters = s.writes ? "const float *streams, const void *fn, const void *base, const void *scale, const void *norm, "
                               "const float *y, const float *post, const float *comb, float *newStreams, float *newPost, "
                               "float *newComb, float *x, void *scratch"
                             : "const float *streams, const void *fn, const void *base, const void *scale, const void *norm, "
                               "float *newStreams, float *newPost, float *newComb, float *x, void *scratch",
      .waits = true,
  };
  const SiteCluster cluster(s.width);
  requireShape((!s.deferred && !s.due) || (s.clusters && cluster.teams), op, "only clusters defer iterations");
  requireShape(s.deferred < s.iterations && (!s.due || s.writes), op,
               "of a write's matrix, all iterations but the first are deferred");
  if (s.clusters && cluster.teams) {
    source.specialisation += fmt::format("{}{}_cluster", s.deferred ? fmt::format("_deferred{}", s.deferred) : "",
                                         s.due ? fmt::format("_due{}", s.due) : "");
    source.fragments = {"hc_site_cuda.h"};
    source.parameters.remove_suffix(std::string_view(", void *scratch").size());
    source.call = fmt::format("ds4::hcSiteByCluster<{}, {}, {}, {}, {}>({})", types, cluster.workgroups, cluster.teams, s.writes,
                              s.due, operands);
    source.cluster = cluster.workgroups;
    source.threads = 32 * (4 * cluster.teams + 1);
    source.grid = {cluster.workgroups, StepExpr::q(), 1};
    return source.finish();
  }
  source.call = fmt::format("ds4::hcSite<{}, {}>({}, scratch)", types, s.writes, operands);
  source.threads = 32 * kWaves;
  source.grid = {workgroups, StepExpr::q(), 1};
  KernelSpec spec = source.finish();
  spec.scratchBytes = kScratchCounterBytes + kMaxWidth * workgroups * kTeams * kSlots * 4;
  return spec;
}

} // namespace ds4
