import { createPartitions } from '../../domains/logs/trim-logs.ts'
import { int, text, time, uuid } from '../columns.ts'
import { readDistinctDays } from '../days.ts'
import type { Step } from '../step.ts'

export const logs: Step = {
  name: 'log',
  noun: 'logs',
  from: 'log',
  to: 'log',
  ignoredColumns: ['updated'],
  columns: {
    id: uuid(),
    created: time(),
    name: text(),
    level: int(),
    message: text(),
    timestamp: time(),
    flow_run_id: uuid(),
    task_run_id: uuid(),
  },
  async prepare({ source, context: { writeQueue, reads } }) {
    // Where tables are cut by time, rows that no part was made for would pile up in one place, and keep new parts from being made.
    if (!reads.dialect.partitions) return
    for (const day of await readDistinctDays(source, 'log', 'timestamp')) await writeQueue.submit((tx) => createPartitions(tx, day))
  },
}
