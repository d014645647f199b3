// The template message: what an engine tells its zygote, once.
#include <errno.h>

#include "decode.h"
#include "encode.h"
#include "link.h"
#include "tail.h"

namespace sbx {
namespace {

MountRow DecodeMountRow(Napi::Env env, Napi::Value value, Tail& tail) {
  constexpr const char* kKinds[] = {
#define SBX_MOUNT_KIND(Name, name) #name,
#include "../protocol/lists.def"
  };
  Args args(env, value);
  const std::string kind = args.Text("kind");
  MountRow row = {};
  for (size_t i = 0; i < sizeof(kKinds) / sizeof(kKinds[0]); ++i)
    if (kind == kKinds[i]) row.kind = (MountKind)i;
  row.mode = (uint16_t)args.Uint("mode", 0755);
#define SBX_MOUNT_FLAG(Name, name) row.flags |= args.Flag(#name) ? kMount##Name : 0;
#include "../protocol/lists.def"
  row.source = tail.Add(args.Text("source"));
  row.target = tail.Add(args.Text("target"));
  row.sizeBytes = args.Uint64("sizeBytes", 0);
  row.inodeCount = args.Uint64("inodeCount", 0);
  return row;
}

}  // namespace

Napi::Value Link::Template(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const Napi::Array mounts = args.Array("mounts");
  const std::vector<int> policy = args.Ints("policy");
  TemplateRecord record;
  Tail tail(
      sizeof(record) + mounts.Length() * sizeof(MountRow) + policy.size() / 2 * sizeof(struct sock_filter));
#define SBX_TEMPLATE(type, name, as) record.name = (type)SBX_GET_##as(args, tail, #name);
#define SBX_GET_number(args, tail, name) (args).Uint(name)
#define SBX_GET_flag(args, tail, name) (args).Flag(name)
#define SBX_GET_text(args, tail, name) (tail).Add((args).Text(name))
#include "../protocol/requests.def"
  const std::vector<int> parents = args.Ints("cgroupParents");
  record.cgroupParentCount = (uint32_t)parents.size();
  record.mountCount = mounts.Length();
  record.policyLength = (uint32_t)policy.size() / 2;
  std::string rows;
  for (uint32_t i = 0; i < mounts.Length() && !args.failed(); ++i) {
    const MountRow row = DecodeMountRow(info.Env(), mounts.Get(i), tail);
    rows.append(reinterpret_cast<const char*>(&row), sizeof(row));
  }
  // Pairs of words: code and jumps, operand, as the kernel lays them out.
  rows.append(reinterpret_cast<const char*>(policy.data()), record.policyLength * sizeof(struct sock_filter));
  if (info.Env().IsExceptionPending()) return {};
  const std::string message = Bytes(record, rows + tail.bytes());
  if (message.size() > kMessageBytesMax || record.mountCount > kMountRowsMax)
    return Result(info.Env(), -E2BIG);
  return Result(info.Env(), SendRecord(message.data(), message.size(), parents));
}

}  // namespace sbx
