/** `[0, 1, 3]` → `'0-1,3'`, as the kernel writes sets of CPUs; `cpus` sorted, without repetitions. */
export function formatCpuList(cpus: readonly number[]): string {
  const parts: string[] = [];
  for (let start = 0; start < cpus.length; ) {
    let end = start;
    while (cpus[end + 1] === cpus[end]! + 1) end++;
    parts.push(end === start ? `${cpus[start]}` : `${cpus[start]}-${cpus[end]}`);
    start = end + 1;
  }
  return parts.join(',');
}
