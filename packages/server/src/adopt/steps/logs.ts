import { createPartitions } from '../../domains/logs/trim-logs.ts'
import { int, text, time, uuid } from '../columns.ts'
import type { Step } from '../step.ts'
import { readDistinctDays } from '../table-reader.ts'

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
  async prepare({ source, context: { commands, reads } }) {
    // Without their own partitions, rows go to the default partition and prevent new partitions from being created.
    if (!reads.dialect.partitions) return
    for (const day of await readDistinctDays(source, 'log', 'timestamp')) await commands.submit((tx) => createPartitions(tx, day))
  },
}
