export interface SimTask {
  readonly at: number;
  /** Seeded order among tasks of one instant. */
  readonly draw: number;
  /** Scheduling order among equal draws. */
  readonly serial: number;
  /** Undefined once cancelled. */
  run: (() => void) | undefined;
}

function before(a: SimTask, b: SimTask): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.draw !== b.draw ? a.draw < b.draw : a.serial < b.serial;
}

/** A binary heap of tasks by time. Cancelled ones are skipped. */
export class SimHeap {
  readonly #tasks: SimTask[] = [];

  push(task: SimTask): void {
    const tasks = this.#tasks;
    let n = tasks.length;
    while (n > 0) {
      const parent = (n - 1) >> 1;
      const above = tasks[parent] as SimTask;
      if (before(above, task)) break;
      tasks[n] = above;
      n = parent;
    }
    tasks[n] = task;
  }

  /** The next uncancelled task, without removal. */
  peek(): SimTask | undefined {
    let first = this.#tasks[0];
    while (first !== undefined && first.run === undefined) {
      this.pop();
      first = this.#tasks[0];
    }
    return first;
  }

  pop(): SimTask | undefined {
    const tasks = this.#tasks;
    const first = tasks[0];
    const last = tasks.pop();
    if (first === undefined || last === undefined || tasks.length === 0) return first;
    let n = 0;
    for (;;) {
      let child = 2 * n + 1;
      if (child >= tasks.length) break;
      if (child + 1 < tasks.length && before(tasks[child + 1] as SimTask, tasks[child] as SimTask)) child += 1;
      if (before(last, tasks[child] as SimTask)) break;
      tasks[n] = tasks[child] as SimTask;
      n = child;
    }
    tasks[n] = last;
    return first;
  }
}
