import { notFound } from '../../errors.ts'
import { statement, type Tx } from '../../storage/database.ts'

const remove = statement('delete from task_run where id = $1')
const removeVerdicts = statement('delete from verdict where run_id = $1')
const removeLogs = statement('delete from log where task_run_id = $1')

/** Deletes a task run with all that is its, its logs too: they are found under the flow run as well, where nobody could tell whose they were. */
export const deleteTaskRun =
  (id: string) =>
  async (tx: Tx): Promise<void> => {
    if ((await tx.run(remove, [id])) === 0) throw notFound('Task run')
    await tx.run(removeLogs, [id])
    await tx.run(removeVerdicts, [id])
  }
