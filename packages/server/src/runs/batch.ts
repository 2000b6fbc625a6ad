import type { Batch, BatchResults, Tx } from '../storage/database.ts'
import { perServer, type ServerContext } from '../storage/server-context.ts'
import type { Answer, RunCommand } from './command.ts'
import { decide } from './decide.ts'
import { load } from './load.ts'
import { save } from './save.ts'

/** Everything that changes runs: it loads what the commands name, decides about them in order, and saves what changes in a constant number of statements. */
const runBatch = perServer((context): Batch<RunCommand, unknown> => {
  const execute = (tx: Tx, commands: readonly RunCommand[]) => changeRunsIn(context, tx, commands, false)
  return Object.assign(execute, { rowsOf: runsOf })
})

/** Executes a command. Resolves after the commit. */
export const changeRun = <C extends RunCommand>(context: ServerContext, command: C): Promise<Answer<C>> =>
  context.writeQueue.as(command.actor).submitTo(runBatch(context), command) as Promise<Answer<C>>

/** Executes commands in a transaction that has found out what to change, and waits for rows that somebody else holds. */
export async function changeRunsIn<C extends RunCommand>(
  context: ServerContext,
  tx: Tx,
  commands: readonly C[],
  waits = true,
): BatchResults<Answer<C>> {
  if (commands.length === 0) return []
  const loaded = await load(context, tx, commands, waits)
  const { answers, changes } = decide(context, loaded, commands)
  await save(context, tx, changes)
  return answers as (Answer<C> | Error)[]
}

/** Executes one command in the same way, and throws the error that refuses it. */
export async function changeRunIn<C extends RunCommand>(context: ServerContext, tx: Tx, command: C): Promise<Answer<C>> {
  const [answer] = await changeRunsIn(context, tx, [command])
  if (answer instanceof Error) throw answer
  return answer as Answer<C>
}

/** The runs that a command names. */
export function runsOf(command: RunCommand): readonly string[] {
  if (command.kind === 'report') return command.taskEvents.map(({ id }) => id)
  if (command.kind === 'report_run')
    return [command.id, ...command.records.flatMap((record) => (record.command?.kind === 'report' ? runsOf(record.command) : []))]
  return 'id' in command ? [command.id] : []
}
