/**
 * What source text asks for when it wants to know how old its process or its files are. An interpreter that has waited would answer with
 * its own age. Words are enough: who hides what they ask for is not misled by the answer. One word too many costs an ordinary start.
 */

/** /proc/self/stat and its like, what `ps` and `stat` print, ages that `find` compares. */
const FILES = String.raw`/proc/\S*?(?:stat|sched)\b|\betimes?\b|\blstart\b|\bst_[abcm]time|-[acm](?:min|time)\b|-newer`;

const agesIn = (words: string) => new RegExp(`${FILES}|${words}`);

export const PYTHON_AGES = agesIn(String.raw`\bpsutil\b|\bcreate_time\b|\bget[acm]time\b`);
export const JAVASCRIPT_AGES = agesIn(
  String.raw`\buptime\b|\bperformance\b|\bperf_hooks\b|\btimeOrigin\b|\b(?:birth|[acm])time`,
);
export const ELIXIR_AGES = agesIn(String.raw`\bwall_clock\b|\buptime\b|\b[acm]time\b|\bFile\.l?stat`);
export const SHELL_AGES = agesIn(String.raw`\$\{?SECONDS\b|\bps\b|\bstat\b`);
