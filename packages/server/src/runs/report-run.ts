import { alreadyExists, notFound, outdatedAttempt } from '../errors.ts'
import { HeldRow } from '../storage/database.ts'
import type { ProposeFlowRunState, RecordAnswer, ReportEvents, ReportRun, RunRecord } from './command.ts'
import type { Deciding } from './deciding.ts'
import { flowRunKind } from './kinds.ts'
import { propose } from './propose.ts'
import { heldTaskRun, recordReports } from './record-reports.ts'

/**
 * Applies the records of one flow run in their order. A record of an attempt that is not the current one is refused, whatever it says. Nothing is applied while
 * somebody else holds one of the rows, so that the order stays.
 */
export function reportRun(deciding: Deciding, command: ReportRun): readonly RecordAnswer[] | Error {
  const held = heldRow(deciding, command)
  if (held !== undefined) return new HeldRow(held)
  if (!deciding.flowRuns.has(command.id)) return notFound('Flow run')
  const fence = new Fence(deciding, command)
  return command.records.map((record) => fence.refusal(record) ?? apply(deciding, fence, record))
}

function heldRow(deciding: Deciding, { id, records }: ReportRun): string | undefined {
  const row = deciding.flowRuns.get(id)
  const needed = [id, ...(row ? flowRunKind.needs(row) : [])].find((each) => deciding.isHeld(each))
  if (needed !== undefined) return needed
  for (const { command } of records) {
    const held = command?.kind === 'report' ? heldTaskRun(deciding, command) : undefined
    if (held !== undefined) return held
  }
  return undefined
}

function apply(deciding: Deciding, fence: Fence, record: RunRecord): RecordAnswer {
  const { command } = record
  if (command?.kind === 'propose_flow_run') {
    const answer = propose(flowRunKind, deciding, command)
    if (answer instanceof Error) return answer
    const attempt = answer.attempt ?? fence.current
    fence.follow(record, attempt)
    return { attempt, result: answer.result }
  }
  const refused = command && (findForeignTask(deciding, fence.flowRun, command) ?? recordReports(deciding, [command]).get(command))
  return refused ?? { attempt: fence.current, result: null }
}

/** A task run with this id belongs to another flow run, whose attempt was not compared. */
function findForeignTask({ taskRuns, changes }: Deciding, flowRun: string, { taskEvents }: ReportEvents): Error | undefined {
  const foreign = taskEvents.find(({ id }) => {
    const stored = taskRuns.get(id) ?? changes.taskRuns.created.get(id)
    return stored !== undefined && stored.flow_run_id !== flowRun
  })
  return foreign && alreadyExists(`A task run with the id ${foreign.id} of another flow run`)
}

/**
 * Compares the attempts of records with that of the flow run. A proposal may raise it, for example when the run starts: the sender runs the new attempt, but the
 * records behind it were written before the answer, so that their attempt counts as the new one.
 */
class Fence {
  readonly #deciding: Deciding
  readonly flowRun: string
  readonly #raised = new Set<number | null>()

  constructor(deciding: Deciding, { id, records }: ReportRun) {
    this.#deciding = deciding
    this.flowRun = id
    // A repeated request gets its first answers, as long as nobody else has taken over the run.
    for (const record of records) if (record.command?.kind === 'propose_flow_run') this.follow(record, this.#repeated(record.command)?.attempt)
  }

  get current(): number {
    return this.#deciding.flowRuns.get(this.flowRun)?.attempt ?? 0
  }

  /** The sender of the record runs this attempt, if it is the current one. */
  follow({ attempt }: RunRecord, reached: number | undefined): void {
    if (attempt !== reached && reached === this.current) this.#raised.add(attempt)
  }

  refusal({ attempt, command }: RunRecord): Error | undefined {
    if (attempt === null || attempt === this.current || this.#raised.has(attempt)) return undefined
    if (command?.kind === 'propose_flow_run' && this.#repeated(command)) return undefined
    return outdatedAttempt(String(attempt), String(this.current))
  }

  #repeated(command: ProposeFlowRunState) {
    return this.#deciding.loaded.recent.flowRuns.previousResult(command)
  }
}
