import type { TaskWorkerResponse } from '@millrace/contracts/task-worker.ts'
import { type Clock, formatTime, type Micros } from '../../lib/time.ts'
import { perServer } from '../../storage/server-context.ts'

/**
 * The task workers that are connected to this process. Nothing of it is stored: a worker is here for as long as its connection is,
 * and each replica knows its own.
 */
export interface TaskWorkers {
  add(identifier: string, taskKeys: readonly string[]): TaskWorkerConnection
  /** Those that take any of the keys; all of them when none is named. In the order in which they came. */
  list(taskKeys?: readonly string[]): TaskWorkerResponse[]
}

export interface TaskWorkerConnection {
  /** The worker was heard of just now. */
  touch(): void
  /** The connection is over. A worker may hold several: it is gone with the last. */
  remove(): void
}

interface Entry {
  readonly taskKeys: readonly string[]
  seenAt: Micros
}

export const taskWorkers = perServer(({ clock }) => createTaskWorkers(clock))

export function createTaskWorkers(clock: Clock): TaskWorkers {
  const workers = new Map<string, Set<Entry>>()
  return {
    add(identifier, taskKeys) {
      const entry: Entry = { taskKeys, seenAt: clock.now() }
      const entries = workers.get(identifier) ?? new Set()
      workers.set(identifier, entries.add(entry))
      return {
        touch() {
          entry.seenAt = clock.now()
        },
        remove() {
          entries.delete(entry)
          // By then another set may stand there: of a worker that came back under its name.
          if (entries.size === 0 && workers.get(identifier) === entries) workers.delete(identifier)
        },
      }
    },
    list(wanted = []) {
      const all = [...workers].map(([identifier, entries]) => ({
        identifier,
        task_keys: [...new Set([...entries].flatMap(({ taskKeys }) => taskKeys))],
        timestamp: formatTime(Math.max(...[...entries].map(({ seenAt }) => seenAt))),
      }))
      return wanted.length === 0 ? all : all.filter(({ task_keys }) => task_keys.some((key) => wanted.includes(key)))
    },
  }
}
