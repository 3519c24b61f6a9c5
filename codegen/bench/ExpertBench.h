// Costs of the fused expert kernels: gate and up, down with the shared expert, and the router. Private to codegen/bench/.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/bench/ProductBench.h"
#include "models/formats/Format.h"

namespace ds4 {

// moe_gate_up with rows of 4096 and moe_down with rows of 2048, `rows` of them an expert, six experts a token, at each number of
// tokens. Nothing for formats that have no fast kernel or, as experts, are not fused.
void measureExperts(const Format &format, int rows, const std::vector<int> &tokens, std::vector<ProductCost> &costs);

// The router's workgroups of moe_route: 256 experts, 4096 wide, f16 and f32 or the one of them that is `chosen`.
void measureRouter(std::string_view chosen, const std::vector<int> &tokens, std::vector<ProductCost> &costs);

} // namespace ds4
