/**
 * What source text asks for when it wants to know how old its process or its files are. An interpreter that
 * has waited would answer with its own age. Words are enough: who hides what they ask for is not misled by
 * the answer. One word too many costs an ordinary start. Hostile text: each expression is linear.
 */

/**
 * Calls and commands named `stat`, with all their prefixes and endings, and /proc/self/stat. A path has a
 * bound: from each beginning of one the rest of the code would be looked through.
 */
const STAT = String.raw`\b[lf]?statx?(?:Sync)?\b|/proc/\S{0,64}?sched`;
/** What `ps` prints, ages that `find` compares and `ls -l` and `date -r` show. */
const COMMANDS = String.raw`["'\x60]ps\b|\betimes?\b|\blstart\b|-[acm](?:min|time)\b|-newer|\bls\b[\s'",]*-\w*l|\bdate\s+-r`;
const FIELDS = String.raw`\bst_[abcm]time`;

const agesIn = (words: string) => new RegExp(`${STAT}|${COMMANDS}|${FIELDS}|${words}`);

export const PYTHON_AGES = agesIn(String.raw`\bpsutil\b|\bcreate_time\b|\bget[acm]time\b`);
export const JAVASCRIPT_AGES = agesIn(
  String.raw`\buptime\b|\bperformance\b|\bperf_hooks\b|\btimeOrigin\b|\btimeStamp\b|\b_idleStart\b|\bprocess\.report\b|\b(?:birth|[acm])time`,
);
export const ELIXIR_AGES = agesIn(
  String.raw`\bwall_clock\b|:start_time\b|\buptime\b|\b[acm]time\b|\bread_(?:file|link)_info\b`,
);
export const SHELL_AGES = agesIn(String.raw`\bSECONDS\b|\bps\b|\s-[no]t\s`);
