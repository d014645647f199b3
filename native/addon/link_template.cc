// The template message: what an engine tells its zygote, once.
#include <errno.h>

#include "decode.h"
#include "encode.h"
#include "link.h"
#include "tail.h"

namespace sbx {
namespace {

MountRow DecodeMountRow(Napi::Env env, Napi::Value value, Tail& tail) {
  constexpr const char* kKinds[] = {"bind", "dir", "file", "symlink", "tmpfs", "mask"};
  Args args(env, value);
  const std::string kind = args.Text("kind");
  MountRow row = {};
  for (size_t i = 0; i < sizeof(kKinds) / sizeof(kKinds[0]); ++i)
    if (kind == kKinds[i]) row.kind = (MountKind)i;
  row.mode = (uint16_t)args.Uint("mode", 0755);
  row.flags = (args.Flag("writable") ? kMountWritable : 0) | (args.Flag("noExec") ? kMountNoExec : 0) | (args.Flag("recursive") ? kMountRecursive : 0) | (args.Flag("isFile") ? kMountIsFile : 0);
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
  Tail tail(sizeof(record) + mounts.Length() * sizeof(MountRow) + policy.size() / 2 * sizeof(struct sock_filter));
  record.rootless = args.Flag("rootless");
  record.insideUid = args.Uint("insideUid");
  record.umask = args.Uint("umask");
  record.ignoreSignalsToInit = args.Flag("ignoreSignalsToInit");
  record.allowedCalls = args.Uint("allowedCalls");
  record.ignoredSignals = args.Uint("ignoredSignals");
  record.coreLimit = args.Uint("coreLimit");
  record.landlockAbi = args.Uint("landlockAbi");
  record.coreScheduling = args.Flag("coreScheduling");
  record.proc = (ProcMode)args.Uint("proc");
  record.hostname = tail.Add(args.Text("hostname"));
  record.domainname = tail.Add(args.Text("domainname"));
  record.workDir = tail.Add(args.Text("workDir"));
  record.cgroupName = tail.Add(args.Text("cgroupName"));
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
  if (message.size() > kMessageBytesMax || record.mountCount > kMountRowsMax) return Result(info.Env(), -E2BIG);
  return Result(info.Env(), SendRecord(message.data(), message.size(), parents));
}

}  // namespace sbx
