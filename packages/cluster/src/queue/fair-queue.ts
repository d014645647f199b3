/**
 * Jobs that wait in a submitter, by tenant. Deficit round robin (Shreedhar and Varghese, 1995) with a job's
 * cost as its size: each round a tenant may spend its weight, and what it has not spent is its own in the
 * next one. A tenant with a long queue so delays another's job by one round, however long. Within a tenant
 * the highest priority goes first, and equal ones in order.
 */

export interface Waiting {
  tenant: string;
  /** Higher goes first, within its tenant. */
  priority: number;
}

interface Tenant<Job> {
  name: string;
  /** By priority, highest first. */
  levels: { priority: number; jobs: Deque<Job> }[];
  count: number;
  deficit: number;
}

/** What a job costs: they are equal, since nobody knows beforehand how long they take. */
const COST = 1;

export class FairQueue<Job extends Waiting> {
  readonly #weightOf: (tenant: string) => number;
  readonly #tenants = new Map<string, Tenant<Job>>();
  /** Those with jobs, in turn. */
  readonly #turns = new Deque<Tenant<Job>>();
  #count = 0;

  /** `weightOf`: how many jobs of a tenant go for one of a tenant of weight 1; above 0. */
  constructor(weightOf: (tenant: string) => number = () => 1) {
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#count;
  }

  /** Jobs of one tenant that wait. */
  sizeOf(tenant: string): number {
    return this.#tenants.get(tenant)?.count ?? 0;
  }

  /** Of each tenant that has jobs here. */
  sizes(): Record<string, number> {
    return Object.fromEntries([...this.#tenants].map(([name, { count }]) => [name, count]));
  }

  push(job: Job): void {
    const tenant = this.#tenants.get(job.tenant) ?? this.#join(job.tenant);
    levelOf(tenant, job.priority).push(job);
    tenant.count += 1;
    this.#count += 1;
  }

  /** The next job in turn; `null` when none waits. */
  shift(): Job | null {
    for (let tenant = this.#turns.peek(); tenant !== undefined; tenant = this.#turns.peek()) {
      if (tenant.count === 0) {
        this.#leave(tenant);
      } else if (tenant.deficit >= COST) {
        tenant.deficit -= COST;
        return this.#take(tenant);
      } else {
        this.#turns.shift();
        this.#turns.push(tenant);
        this.#turns.peek()!.deficit += this.#weightOf(this.#turns.peek()!.name);
      }
    }
    return null;
  }

  /** Takes a job out of its turn. False when it is not here. */
  remove(job: Job): boolean {
    const tenant = this.#tenants.get(job.tenant);
    const level = tenant?.levels.find(({ priority }) => priority === job.priority);
    if (tenant === undefined || level === undefined || !level.jobs.remove(job)) return false;
    tenant.count -= 1;
    this.#count -= 1;
    return true;
  }

  #join(name: string): Tenant<Job> {
    const isAlone = this.#turns.size === 0;
    const tenant: Tenant<Job> = { name, levels: [], count: 0, deficit: isAlone ? this.#weightOf(name) : 0 };
    this.#tenants.set(name, tenant);
    this.#turns.push(tenant);
    return tenant;
  }

  /** One that has nothing to send saves nothing up. */
  #leave(tenant: Tenant<Job>): void {
    this.#turns.shift();
    this.#tenants.delete(tenant.name);
    const next = this.#turns.peek();
    if (next !== undefined) next.deficit += this.#weightOf(next.name);
  }

  #take(tenant: Tenant<Job>): Job {
    while (tenant.levels[0]!.jobs.size === 0) tenant.levels.shift();
    tenant.count -= 1;
    this.#count -= 1;
    return tenant.levels[0]!.jobs.shift()!;
  }
}

function levelOf<Job>(tenant: Tenant<Job>, priority: number): Deque<Job> {
  const at = tenant.levels.findIndex((level) => level.priority <= priority);
  const found = tenant.levels[at];
  if (found?.priority === priority) return found.jobs;
  const jobs = new Deque<Job>();
  tenant.levels.splice(at < 0 ? tenant.levels.length : at, 0, { priority, jobs });
  return jobs;
}

/** First in, first out, without moving the rest: what was taken is cut off now and then. */
class Deque<T> {
  #items: (T | undefined)[] = [];
  #start = 0;

  get size(): number {
    return this.#items.length - this.#start;
  }

  peek(): T | undefined {
    return this.#items[this.#start];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#start];
    if (this.size > 0) this.#items[this.#start++] = undefined;
    if (this.#start > 64 && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
    return item;
  }

  remove(item: T): boolean {
    const at = this.#items.indexOf(item, this.#start);
    if (at >= 0) this.#items.splice(at, 1);
    return at >= 0;
  }
}
