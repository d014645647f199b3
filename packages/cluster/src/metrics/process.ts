/** Figures of this process, under the names that Prometheus's own libraries have for them. */
import { type Family, families } from './page.js';

export function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage();
  const startedAt = (Date.now() - process.uptime() * 1000) / 1000;
  return [
    families.counter(
      'process_cpu_seconds_total',
      'User and system CPU time of this process',
      (user + system) / 1e6,
    ),
    ...residentMemory(),
    families.gauge('process_start_time_seconds', 'Start of this process since 1970', startedAt),
  ];
}

/** Nothing while the process has no descriptor left to read it by. */
function residentMemory(): Family[] {
  try {
    const bytes = process.memoryUsage.rss();
    return [families.gauge('process_resident_memory_bytes', 'Resident memory of this process', bytes)];
  } catch {
    return [];
  }
}
