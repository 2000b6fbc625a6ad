import { ApiError, invalid, notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import type { RunState } from '../../orchestration/rule.ts'
import type { ReceivedState } from '../../orchestration/states.ts'
import { changeRunIn } from '../../runs/batch.ts'
import type { SetStateResult } from '../../runs/command.ts'
import { lockFlowRuns } from '../../runs/flow-run-rows.ts'
import { parseCurrentState, toStateResponse } from '../../runs/run-state.ts'
import { type CheckedWrite, checkThenWrite, prepareWrite } from '../../storage/checked-write.ts'
import type { Db, Tx } from '../../storage/database.ts'
import type { ActingContext, ServerContext } from '../../storage/server-context.ts'
import { hydrateText } from '../deployments/hydrate.ts'
import { hydrationContext } from '../deployments/hydration-context.ts'
import { schemaValidator } from '../schema-validator.ts'
import { addInput, readInput } from './inputs.ts'
import { readFlowRun } from './store.ts'

/**
 * Resumes a paused run: immediately, or through a worker if it was suspended. If the pause waits for input, the input is checked against the schema
 * that the run stored, and is stored only if the run resumes.
 */
export const resumeFlowRun = (context: ActingContext, id: string, runInput: Record<string, unknown> | null): Promise<SetStateResult> =>
  checkThenWrite(context, resumeCommand(context, id, runInput))

/** The same for a caller with its own transaction. */
export const prepareResume = (context: ActingContext, id: string): Promise<(tx: Tx) => Promise<SetStateResult>> =>
  prepareWrite(context.reads, resumeCommand(context, id, null))

const resumeCommand = (
  context: ActingContext,
  id: string,
  runInput: Record<string, unknown> | null,
): CheckedWrite<PauseInput, CheckedInput, SetStateResult> => ({
  read: (db) => readPause(db, id),
  check: ({ keys, schema }) => (keys ? checkInput(context, keys, schema, jsonText(runInput ?? {})) : Promise.resolve(undefined)),
  async write(tx, input) {
    const [row] = await lockFlowRuns(tx, [id], true)
    if (!row) throw notFound('Flow run')
    const paused = parseCurrentState(row)
    if (paused?.type !== 'PAUSED') return rejectedResult(null, 'ABORT', 'Only a paused flow run can be resumed')
    if (input && 'refusal' in input) return rejectedResult(paused, 'REJECT', input.refusal)

    const state: ReceivedState = paused.state_details.pause_reschedule ? { type: 'SCHEDULED', name: 'Resuming' } : { type: 'RUNNING' }
    const outcome = await changeRunIn(context, tx, { kind: 'propose_flow_run', actor: context.actor, id, state })
    if (input && input.value !== '{}' && outcome.result.status === 'ACCEPT') {
      await addInput(context, id, { key: input.key, value: input.value, sender: null })(tx)
    }
    return outcome
  },
})

/** Writes nothing. Invalid input is a REJECT with abort details, as in the reference. */
const rejectedResult = (state: RunState | null, status: 'ABORT' | 'REJECT', reason: string): SetStateResult => ({
  written: false,
  result: { state: state && toStateResponse(state), status, details: { type: 'abort_details', reason } },
})

/** The input that the current pause waits for. */
interface PauseInput {
  /** The keyset of the pause. Undefined if it needs no input. */
  readonly keys?: Readonly<Record<string, string>>
  readonly schema?: string
}

async function readPause(db: Db, id: string): Promise<PauseInput> {
  const row = await readFlowRun(db, id)
  if (!row) throw notFound('Flow run')
  const paused = parseCurrentState(row)
  const keys = paused?.type === 'PAUSED' ? paused.state_details.run_input_keyset : undefined
  if (!keys || Object.keys(keys).length === 0) return {}
  const schema = keys.schema === undefined ? undefined : await readInput(db, id, keys.schema)
  return { keys, ...(schema ? { schema: schema.value } : {}) }
}

type CheckedInput = { readonly refusal: string } | { readonly key: string; readonly value: string } | undefined

async function checkInput(
  context: ServerContext,
  keys: Readonly<Record<string, string>>,
  schema: string | undefined,
  sent: string,
): Promise<CheckedInput> {
  if (keys.schema === undefined || keys.response === undefined) return { refusal: 'The keyset of the pause has no "schema" or "response" key' }
  const value = await hydrateInput(context, sent)
  if (typeof value !== 'string') return value
  if (schema === undefined) return { refusal: 'Input schema not found' }
  if (!/^\s*\{/.test(schema)) return { refusal: 'The input schema is not a JSON object' }
  const refusal = await schemaValidator(context).validate(schema, value, { acceptsPydantic1: true })
  if (refusal?.kind === 'schema' && refusal.path === '') return { refusal: `The input schema ${refusal.reason}` }
  if (refusal?.kind === 'limit') throw invalid(['body', 'run_input'], refusal.reason)
  if (refusal) return { refusal: `The input does not match its schema${refusal.path && ` at ${refusal.path}`}: ${refusal.reason}` }
  return { key: keys.response, value }
}

/** Replaces placeholders (variables, JSON text). */
async function hydrateInput(context: ServerContext, text: string): Promise<string | { readonly refusal: string }> {
  try {
    return hydrateText(text, await hydrationContext(context, context.reads, [text]))
  } catch (error) {
    if (error instanceof ApiError) return { refusal: `The input could not be resolved: ${error.message}` }
    throw error
  }
}
