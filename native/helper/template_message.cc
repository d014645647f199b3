#include "template_message.h"

namespace sbx {

bool TemplateIsSound(const Received& received, const char* data) {
  if (received.size < (long)sizeof(TemplateRecord) || received.truncated || data[received.size - 1] != '\0')
    return false;
  const auto& record = *reinterpret_cast<const TemplateRecord*>(data);
  if (record.head.kind != Kind::kTemplate || record.head.version != kRecordVersion) return false;
  const uint64_t size = (uint64_t)received.size;
  if (record.mountCount > kMountRowsMax || sizeof(record) + record.mountCount * sizeof(MountRow) > size)
    return false;
  if (record.policyLength > kPolicyLengthMax || sizeof(record) + record.mountCount * sizeof(MountRow) +
                                                        record.policyLength * sizeof(struct sock_filter) >
                                                    size)
    return false;
  if (record.hostname >= size || record.domainname >= size || record.workDir >= size ||
      record.cgroupName >= size)
    return false;
  const auto* rows = reinterpret_cast<const MountRow*>(data + sizeof(record));
  for (unsigned i = 0; i < record.mountCount; ++i)
    if (rows[i].source >= size || rows[i].target >= size) return false;
  return record.cgroupParentCount <= kCgroupParentsMax && record.cgroupParentCount == received.fdCount;
}

}  // namespace sbx
