#include "compiler/PlanWriter.h"

#include <algorithm>
#include <map>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include "ir/Ds4Dialect.h"
#include "ir/Ds4Ops.h"
#include "passes/PlaceNames.h"
#include "passes/StepMemory.h"
#include "support/Error.h"

namespace ds4 {

namespace {

using mlir::Value;

static_assert(std::string_view(Ds4Dialect::kIdsInput) == kIdsInput, "what the dialect calls a chunk's ids, a plan calls so, too");

// The places in the names of a launch's results, "blk.3.attn.router#1", each once; its own where it has no names.
std::vector<std::string> placesOf(const std::string &label, mlir::ArrayAttr names) {
  std::vector<std::string> places;
  if (!names)
    return {label};
  for (auto name : names.getAsRange<mlir::StringAttr>())
    if (std::string place = name.getValue().split('#').first.str(); std::ranges::find(places, place) == places.end())
      places.push_back(place);
  return places;
}

class Writer {
public:
  Writer(mlir::ModuleOp module, const ModelTable &model, int maxWidth, bool keepAll)
      : module_(module), model_(model), keepAll_(keepAll) {
    plan_.maxWidth = static_cast<uint32_t>(maxWidth);
  }

  Plan write() {
    auto function = module_.lookupSymbol<mlir::func::FuncOp>("step");
    if (!function)
      internalError("the module has no function 'step'");
    plan_.modelName = model_.description().name;
    plan_.modelFingerprint = model_.fingerprint();
    plan_.vocabulary = model_.description().vocabulary;
    const ModelDescription &model = model_.description();
    plan_.sizes = {model.expertsUsed, model.window, model.indexerTopK, model.ratios};
    plan_.arenaBytes = static_cast<uint64_t>(function->getAttrOfType<mlir::IntegerAttr>("ds4.arena_bytes").getInt());
    addArguments(function);
    for (mlir::Operation &op : function.getBody().front())
      addOp(op);
    addResults(function);
    return std::move(plan_);
  }

private:
  void addArguments(mlir::func::FuncOp function) {
    for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
      std::string name = function.getArgAttrOfType<mlir::StringAttr>(index, "ds4.name").str();
      if (auto state = mlir::dyn_cast<StateType>(argument.getType())) {
        places_[argument] = {PlanArgument::Kind::State, plan_.states.size()};
        plan_.states.push_back({name, stringifyStateKind(state.getKind()).str(), state.getRows(), state.getCols(),
                                state.getElement().isF16() ? "f16" : "f32"});
      } else if (auto offset = function.getArgAttrOfType<mlir::IntegerAttr>(index, "ds4.offset")) {
        PlanArgument place{PlanArgument::Kind::Arena, static_cast<uint64_t>(offset.getInt())};
        places_[argument] = place;
        plan_.inputs.push_back(value(name, argument, place.value));
      }
    }
  }

  void addOp(mlir::Operation &op) {
    if (auto weight = mlir::dyn_cast<WeightOp>(op)) {
      places_[weight.getValue()] = {PlanArgument::Kind::Weight, weightIndex(weight.getWeight().str())};
    } else if (auto reshape = mlir::dyn_cast<ReshapeOp>(op)) {
      places_[reshape.getResult()] = place(reshape.getX());
      rowStrides_[reshape.getResult()] = rowStrides_[reshape.getX()];
    } else if (auto launch = mlir::dyn_cast<LaunchOp>(op)) {
      addLaunch(launch);
    } else if (!mlir::isa<mlir::func::ReturnOp>(op)) {
      internalError("op '{}' was not outlined", op.getName().getStringRef().str());
    }
  }

  size_t weightIndex(const std::string &name) {
    auto [at, fresh] = weightIndices_.try_emplace(name, plan_.weights.size());
    if (fresh) {
      const Weight &weight = model_.weight(name);
      plan_.weights.push_back({name, std::string(weight.format->name), weight.shape, weight.shard, weight.offset, weight.bytes});
    }
    return at->second;
  }

  void addLaunch(LaunchOp op) {
    PlanLaunch launch;
    for (auto variant : op.getVariants().getAsRange<VariantAttr>())
      launch.variants.push_back({.kernel = kernelIndex(variant.getKernel().getValue()),
                                 .grid = variant.getGridExpressions(),
                                 .guard = variant.getStepGuard(),
                                 .name = variant.getName() ? variant.getName().str() : "",
                                 .reason = variant.getReason() ? variant.getReason().str() : "",
                                 .scratch = variant.getScratch() > 0});
    launch.label = placeName(op);
    launch.arguments.push_back({PlanArgument::Kind::Step, 0});
    int64_t rows = 0; // capacity of the indexer rows read, the row stride of scores
    for (Value input : op.getInputs()) {
      launch.arguments.push_back(place(input));
      if (auto state = mlir::dyn_cast<StateType>(input.getType()); state && state.getKind() == StateKind::Indexer)
        rows = state.getRows();
    }
    auto offsets = op->getAttrOfType<mlir::DenseI64ArrayAttr>("ds4.offsets");
    auto names = op->getAttrOfType<mlir::ArrayAttr>("ds4.names");
    for (auto [index, result] : llvm::enumerate(op.getOutputs())) {
      if (int64_t updated = op.getUpdates()[index]; updated >= 0) {
        places_[result] = place(op.getInputs()[updated]);
        continue;
      }
      PlanArgument argument{PlanArgument::Kind::Arena, static_cast<uint64_t>(offsets[index])};
      places_[result] = argument;
      rowStrides_[result] = rows;
      launch.arguments.push_back(argument);
      if (keepAll_)
        plan_.outputs.push_back(
            value(names ? mlir::cast<mlir::StringAttr>(names[index]).str() : resultName(mlir::cast<mlir::OpResult>(result)), result,
                  argument.value));
    }
    launch.covers = placesOf(launch.label, names);
    if (op.getScratchBytes())
      launch.arguments.push_back({PlanArgument::Kind::Arena, 0});
    plan_.launches.push_back(std::move(launch));
  }

  uint32_t kernelIndex(llvm::StringRef symbol) {
    auto [at, fresh] = kernelIndices_.try_emplace(symbol.str(), plan_.kernels.size());
    if (fresh) {
      auto kernel = module_.lookupSymbol<KernelOp>(symbol);
      PlanKernel planned;
      planned.symbol = symbol.str();
      planned.op = kernel.getImplements().str();
      planned.source = kernel.getSource().str();
      planned.block = static_cast<uint32_t>(kernel.getBlock());
      planned.vgprBudget = static_cast<uint32_t>(kernel.getVgprs());
      planned.ldsBudget = static_cast<uint32_t>(kernel.getLdsBytes());
      plan_.kernels.push_back(std::move(planned));
    }
    return static_cast<uint32_t>(at->second);
  }

  void addResults(mlir::func::FuncOp function) {
    auto ret = mlir::cast<mlir::func::ReturnOp>(function.getBody().front().getTerminator());
    for (auto [index, result] : llvm::enumerate(ret.getOperands())) {
      if (mlir::isa<StateType>(result.getType()))
        continue;
      std::string name = function.getResultAttrOfType<mlir::StringAttr>(index, "ds4.name").str();
      plan_.outputs.push_back(value(name, result, place(result).value));
    }
  }

  PlanArgument place(Value value) {
    auto at = places_.find(value);
    if (at == places_.end())
      internalError("a value of the step has no place in memory");
    return at->second;
  }

  PlanValue value(const std::string &name, Value value, uint64_t offset) {
    auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    PlanValue planned{name, type.getElementType().isInteger(32) ? "i32" : "f32", {}, offset, 1, 0};
    for (auto [index, size] : llvm::enumerate(type.getShape())) {
      bool dynamic = mlir::ShapedType::isDynamic(size);
      planned.dims.push_back(!dynamic ? size : index == 0 ? PlanValue::kTokens : PlanValue::kRows);
      if (index > 0)
        planned.tokenStride *= static_cast<uint64_t>(dynamic ? rowStrides_[value] : size);
    }
    planned.bytes = planned.tokenStride * 4 * plan_.maxWidth;
    return planned;
  }

  mlir::ModuleOp module_;
  const ModelTable &model_;
  bool keepAll_;
  Plan plan_;
  llvm::DenseMap<Value, PlanArgument> places_;
  llvm::DenseMap<Value, int64_t> rowStrides_;
  std::map<std::string, size_t> weightIndices_, kernelIndices_;
};

} // namespace

std::vector<PlanOp> opsOf(mlir::ModuleOp module) {
  std::vector<PlanOp> ops;
  llvm::DenseMap<mlir::Operation *, uint32_t> indices;
  module.walk([&](PrimitiveOpInterface op) {
    PlanOp planned{placeName(op), op->getName().stripDialect().str(), {}};
    for (Value operand : op->getOperands())
      if (auto made = indices.find(memoryOwner(operand).getDefiningOp()); made != indices.end())
        planned.operands.push_back(made->second);
    indices[op] = static_cast<uint32_t>(ops.size());
    ops.push_back(std::move(planned));
  });
  return ops;
}

Plan writePlan(mlir::ModuleOp module, const ModelTable &model, int maxWidth, bool keepAll) {
  return Writer(module, model, maxWidth, keepAll).write();
}

} // namespace ds4
