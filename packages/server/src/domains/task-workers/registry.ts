import type { TaskWorkerResponse } from '@millrace/contracts/task-worker.ts'
import { type Clock, formatTime, type Micros } from '../../lib/time.ts'
import { perServer } from '../../storage/server-context.ts'

/**
 * The task workers that are connected to this server. Nothing is stored: an entry lasts as long as its connection, and each replica has its own
 * entries.
 */
export interface TaskWorkers {
  add(identifier: string, taskKeys: readonly string[]): TaskWorkerConnection
  /** The workers that subscribe to any of the keys, or all workers without keys, in the order of their connection. */
  list(taskKeys?: readonly string[]): TaskWorkerResponse[]
}

export interface TaskWorkerConnection {
  /** Updates the last activity of the worker. */
  touch(): void
  /** Removes the connection. A worker may have several and is removed with the last one. */
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
          // The map may hold a newer set if the worker connected again under the same name.
          if (entries.size === 0 && workers.get(identifier) === entries) workers.delete(identifier)
        },
      }
    },
    list(requestedKeys = []) {
      const all = [...workers].map(([identifier, entries]) => ({
        identifier,
        task_keys: [...new Set([...entries].flatMap(({ taskKeys }) => taskKeys))],
        timestamp: formatTime(Math.max(...[...entries].map(({ seenAt }) => seenAt))),
      }))
      return requestedKeys.length === 0 ? all : all.filter(({ task_keys }) => task_keys.some((key) => requestedKeys.includes(key)))
    },
  }
}
