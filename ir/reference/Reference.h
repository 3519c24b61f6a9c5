// The primitive ops of the ds4 dialect in double precision: what each op means, as plain functions.
//
// The kernel tests, the interpreter and `ds4c verify` compare against these; speed does not matter, order of summation
// neither. Notation and rings as in docs/ops.md, sections are those of the DS4 model description. T tokens; token t
// of a step stands at position pos + t; S = 4 streams of width D. A row state has room for every row it is given.
//
// Operands whose shapes do not fit together throw ds4::Error (Internal): the verifiers of the dialect exclude them.
#pragma once

#include "ir/reference/Tensor.h"

namespace ds4::reference {

// Section 3. tokens [T] ids, table [V, D] -> [T, S, D]: the token's row in each of the streams.
Tensor embed(const Tensor &tokens, const Weight &table, int64_t streams);

// Section 2. x [T, D], weight [D] -> [T, D]: x / sqrt(mean(x^2) + eps) * weight, no (1 + weight).
Tensor rmsNorm(const Tensor &x, const Weight &weight, double eps);

// Section 2. x [T, K], w [N, K] -> [T, N]: x W^T.
Tensor linear(const Tensor &x, const Weight &w);

// Section 6, step 7. x [T, G*K], w [G*N, K] -> [T, G*N]: group g takes columns g*K.. of x and rows g*N.. of w.
Tensor groupedLinear(const Tensor &x, const Weight &w, int64_t groups);

// Section 5. x [T, H, d] or [T, d]: rotates the last 2 * frequencies.size() channels of each row in interleaved pairs,
// (a, b) -> (a cos - b sin, a sin + b cos). The angle is f32(position) * frequency rounded to f32, as everywhere in the
// field; its sine and cosine are exact. `inverse` turns by the negative angle.
Tensor rope(const Tensor &x, int64_t pos, std::span<const float> frequencies, bool inverse);

// Section 6, step 2. x [T, H, d]: each row divided by sqrt(mean(row^2) + eps).
Tensor headNorm(const Tensor &x, double eps);

// Section 4. streams [T, S, D], fn [C, S*D], base [C], scale [3] -> [T, C], C = (2 + S) * S:
// fn z / sqrt(mean(z^2) + eps) * scale[group] + base, with z a token's streams in order and the groups S, S, S*S long.
Tensor hcCoefficients(const Tensor &streams, const Weight &fn, const Weight &base, const Weight &scale, double eps);

// Section 4. c [T, (2+S)*S] -> pre [T, S] = sigmoid + eps, post [T, S] = 2 sigmoid, comb [T, S, S]: row softmax + eps,
// columns normalised, then iterations - 1 times rows and columns (each divided by its sum + eps).
struct Sinkhorn {
  Tensor pre, post, comb;
};
Sinkhorn sinkhorn(const Tensor &c, int64_t iterations, double eps);
// comb [T, S, S] after `rounds` further iterations.
Tensor continueSinkhorn(Tensor comb, int64_t rounds, double eps);

// Section 4. streams [T, S, D], pre [T, S] -> [T, D]: sum_i pre[i] X[i].
Tensor hcRead(const Tensor &streams, const Tensor &pre);

// Section 4. y [T, D] -> [T, S, D]: X'[k] = post[k] y + sum_j comb[j][k] X[j], over comb's first index.
Tensor hcWrite(const Tensor &y, const Tensor &streams, const Tensor &post, const Tensor &comb);

// Section 4. streams [T, S, D], fn [S, S*D], base [S], scale [1] -> [T, D]: sum_i w[i] X[i] with
// w = sigmoid(fn z / sqrt(mean(z^2) + eps) * scale + base) + hcEps.
Tensor hcHead(const Tensor &streams, const Weight &fn, const Weight &base, const Weight &scale, double eps, double hcEps);

// Section 4. What lies between two sub-layers: hcWrite of the previous one's output (unless `y` is null), then
// hcCoefficients, sinkhorn, hcRead and rmsNorm for the next. `eps` is of the coefficients.
struct HcSiteOptions {
  int64_t iterations = 20;
  int64_t deferred = 0, due = 0; // iterations that the resulting comb lacks, and that options.comb lacks
  double eps = 1e-6, hcEps = 1e-6, normEps = 1e-6;
  const Tensor *y = nullptr, *post = nullptr, *comb = nullptr;
};
struct HcSite {
  Tensor streams, post, comb, x;
};
HcSite hcSite(const Tensor &streams, const Weight &fn, const Weight &base, const Weight &scale, const Weight &norm,
              const HcSiteOptions &options);

// Section 6, step 4. rows [T, d]: row t goes to slot (pos + t) mod slots.
void windowAppend(State &window, const Tensor &rows, int64_t pos);

// The rows of the `window` positions before `pos`, as far as there are any: each from its slot in `from` to its slot in `to`.
void windowCopy(State &to, const State &from, int64_t pos, int64_t window);

// Channels first .. first + cols of the rows that a ring holds for positions pos .. pos + tokens.
Tensor windowRead(const State &window, int64_t pos, int64_t tokens, int64_t first, int64_t cols);

// Section 7. kv, gate [T, W]; ape [ratio, W]; norm [d]; open [slots, 2 W] holds (kv, gate + ape[position mod ratio]) at
// slot position mod slots. Each token that completes a window w of `ratio` tokens stores a row at index w of `rows`:
// per channel a softmax over the gates weights the kv (W = d: the window; W = 2 d: first half of the window before,
// which window 0 lacks, and second half of the own), then RMS norm and rope at position ratio * w.
void compress(State &open, State &rows, const Tensor &kv, const Tensor &gate, const Weight &ape, const Weight &norm, int64_t pos,
              int64_t ratio, double eps, std::span<const float> frequencies);

// Section 8. q [T, Hi, di], weights [T, Hi], rows [capacity, di] -> [T, (pos + T) / ratio]:
// sum_h scale * weights[h] * max(0, q[h] . row); rows that the token does not see, >= (position + 1) / ratio, get -inf.
Tensor indexScore(const Tensor &q, const Tensor &weights, const State &rows, int64_t pos, int64_t ratio, double scale);

// Section 8. scores [T, R] -> ids [T, k]: of the (position + 1) / ratio visible rows all when there are at most k, else
// the k best, lower index first among equals; ascending, padded with -1.
Tensor selectTopK(const Tensor &scores, int64_t pos, int64_t k, int64_t ratio);

// Section 6, steps 4 and 5. q [T, H, d], window [slots, d], sinks [H] -> [T, H, d]: one softmax over the window rows of
// positions max(0, p - windowLength + 1)..p and, with `rows` [capacity, d], the visible compressed rows: all of them, or
// those that `picks` [T, K] names. The sink is in the denominator alone; a key row is its own value. As a `block` (section
// 10.2) each token sees positions max(0, pos - windowLength)..pos + T - 1 instead, and no compressed rows.
struct AttendOptions {
  double scale = 1;
  int64_t window = 128;
  int64_t ratio = 0;             // of the compressed rows; not used without them
  const State *rows = nullptr;   // null: window rows only
  const Tensor *picks = nullptr; // null: every visible row
  bool block = false;
};
Tensor attend(const Tensor &q, const State &window, const Weight &sinks, int64_t pos, const AttendOptions &options);

// Section 6, steps 4 to 6. attend, then the inverse rope of its result.
Tensor maskedAttention(const Tensor &q, const State &window, const Weight &sinks, int64_t pos, const AttendOptions &options,
                       std::span<const float> frequencies);

// Section 9. logits [T, E], bias [E] -> ids [T, k], weights [T, k]: p = sqrt(softplus(logit)); the k largest p + bias in
// descending order, lower index first; weights = p / sum of the chosen p * scale.
struct Routing {
  Tensor ids, weights;
};
Routing router(const Tensor &logits, const Weight &bias, int64_t k, double scale);

// Section 9. The same weights, for the ids that table [V, U] gives to each token.
Routing hashRouter(const Tensor &logits, const Tensor &tokens, const Weight &table, double scale);

// Section 9. x [T, K] or [T, U, K], ids [T, U], w [E, N, K] -> [T, U, N]: slot u is w[ids[u]] x (or x[u]); an id outside
// 0..E-1 gives zeros.
Tensor expertLinear(const Tensor &x, const Tensor &ids, const Weight &w);

// ids [T, U] -> order [T, U]: slots t * U + u, stably sorted by expert, those of no expert last; starts [E + 1]: how many belong to
// lower experts.
struct SlotGroups {
  Tensor order, starts;
};
SlotGroups groupSlots(const Tensor &ids, int64_t experts);

// expertLinear, with the slots of each expert as groupSlots gives them.
Tensor groupedExpertLinear(const Tensor &x, const Tensor &order, const Tensor &starts, const Weight &w);

// Section 9. silu(min(gate, limit)) * clamp(up, -limit, limit), element by element.
Tensor swiglu(const Tensor &gate, const Tensor &up, double limit);

// Section 9. y [T, U, D], weights [T, U] -> [T, D]: sum_u weights[u] y[u]; slots of weight 0 are not read.
Tensor combine(const Tensor &y, const Tensor &weights);

Tensor add(const Tensor &a, const Tensor &b);

// a [T, A], b [T, B] -> [T, A + B].
Tensor concat(const Tensor &a, const Tensor &b);

// Section 10.2. streams [T, S, D] -> [T, D]: their mean.
Tensor streamMean(const Tensor &streams);

// tokens [T], next [T] -> [T]: tokens[0], next[0], ..., next[T - 2]; 0 where `next` is negative.
Tensor shiftTokens(const Tensor &tokens, const Tensor &next);

// Section 9. What precedes the routed experts: router of the products of x [T, D] with router [E, D], or hashRouter with a
// table; and the shared expert's hidden activations swiglu(gate x, up x) [T, N].
struct MoeRouteOptions {
  int64_t k = 6;
  double scale = 1, limit = 10;
  const Weight *bias = nullptr; // or both of
  const Tensor *tokens = nullptr;
  const Weight *table = nullptr;
};
struct MoeRoute {
  Routing routing;
  Tensor hidden;
};
MoeRoute moeRoute(const Tensor &x, const Weight &router, const Weight &gate, const Weight &up, const MoeRouteOptions &options);

// Section 9. x [T, K], ids and weights [T, U], gate and up [E, N, K] -> [T, U, N]: swiglu of the two products of each slot;
// zeros where the weight is 0 or the id outside 0..E-1.
Tensor moeGateUp(const Tensor &x, const Tensor &ids, const Tensor &weights, const Weight &gate, const Weight &up, double limit);

// Section 9. h [T, U, K], ids and weights [T, U], down [E, N, K], hs [T, Ks], shared [N, Ks] -> [T, N]:
// sum_u weights[u] down[ids[u]] h[u] + shared hs; slots of weight 0 are not read.
Tensor moeDown(const Tensor &h, const Tensor &ids, const Tensor &weights, const Weight &down, const Tensor &hs,
               const Weight &shared);

// Section 11. The round trip of each group of `block` values along a row through 8 or 4 bits. Fp8: e4m3, Fp4: e2m1, both
// with the least power-of-two scale that holds the group's largest magnitude; Int8: scale = largest / 127. Values are
// taken as f32; results are exact.
enum class Scheme { Fp8, Fp4, Int8 };
Tensor quantizeActivation(const Tensor &x, Scheme scheme, int64_t block);

// x, taken as f32, rounded to half precision; magnitudes beyond the greatest half become that.
Tensor toHalf(const Tensor &x);

// x [..., K], taken as f32: each row times the power of two that brings its largest magnitude just below 2^15, but rows below
// 2^-112 that of 2^-112, rounded to half precision; and the inverse powers.
struct ScaledHalves {
  Tensor halves, scales; // [..., K], [...]
};
ScaledHalves scaleToHalf(const Tensor &x);
Tensor scaledRows(const Tensor &halves, const Tensor &scales);

// logits [T, V] -> ids [T]: lowest index of the greatest value; NaN never wins, all NaN gives -1.
Tensor argmax(const Tensor &logits);

// logits [T, V], uniforms [T] in [0, 1) -> ids [T]: softmax(logits / temperature), cut to the smallest set of most
// probable tokens whose mass reaches topP (lower id first among equals), then the inverse distribution function over
// that set in ascending order of ids. NaN logits have no mass; all NaN gives -1.
Tensor sample(const Tensor &logits, double temperature, double topP, std::span<const double> uniforms);

} // namespace ds4::reference
