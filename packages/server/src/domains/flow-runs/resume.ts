import { ApiError, notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { isObject } from '../../lib/json-exact.ts'
import { refusalOf } from '../../lib/json-schema.ts'
import type { RunState } from '../../orchestration/rule.ts'
import type { ReceivedState } from '../../orchestration/states.ts'
import type { Tx } from '../../storage/database.ts'
import type { Parts } from '../../storage/parts.ts'
import { hydrated } from '../deployments/hydrate.ts'
import { hydrationContext } from '../deployments/hydration-context.ts'
import { currentState, stateAnswer } from '../run-state.ts'
import type { SetStateResult } from '../set-state-result.ts'
import { readFacts } from './facts.ts'
import { addInput, readInput } from './inputs.ts'
import { flowRunTransitions } from './set-state.ts'

/**
 * Lets a paused run go on: at once, or by way of the workers when it was suspended. A pause that asked for input gets it first, judged by the
 * schema that the run left under its key; the answer is kept for the run only if it may go on. All of it in one transaction.
 */
export const resumeFlowRun =
  (parts: Parts, id: string, runInput: Record<string, unknown> | null) =>
  async (tx: Tx): Promise<SetStateResult> => {
    const [row] = await readFacts(tx, [id])
    if (!row) throw notFound('Flow run')
    const paused = currentState(row)
    if (paused?.type !== 'PAUSED') return refused(null, 'ABORT', 'Only a flow run that is paused can be resumed')

    const { run_input_keyset: keys, pause_reschedule: suspended } = paused.state_details
    const input = keys && Object.keys(keys).length > 0 ? await judgedInput(parts, tx, id, keys, runInput ?? {}) : undefined
    if (input && 'refusal' in input) return refused(paused, 'REJECT', input.refusal)

    const state: ReceivedState = suspended ? { type: 'SCHEDULED', name: 'Resuming' } : { type: 'RUNNING' }
    const [outcome] = await flowRunTransitions(parts)(tx, [{ id, state }])
    if (outcome === undefined || outcome instanceof Error) throw outcome ?? notFound('Flow run')
    if (input && input.value !== '{}' && outcome.result.status === 'ACCEPT') {
      await addInput(parts, id, { key: input.key, value: input.value, sender: null })(tx)
    }
    return outcome
  }

/** Nothing is written. Input that is refused is told as a REJECT with the details of an abort: clients know it so. */
const refused = (state: RunState | null, status: 'ABORT' | 'REJECT', reason: string): SetStateResult => ({
  written: false,
  result: { state: state && stateAnswer(state), status, details: { type: 'abort_details', reason } },
})

type JudgedInput = { readonly refusal: string } | { readonly key: string; readonly value: string }

async function judgedInput(
  parts: Parts,
  tx: Tx,
  id: string,
  keys: Readonly<Record<string, string>>,
  sent: Record<string, unknown>,
): Promise<JudgedInput> {
  if (keys.schema === undefined || keys.response === undefined) return { refusal: 'The pause does not say where its schema and its answer are kept' }
  const value = await workedOut(parts, tx, jsonText(sent))
  if (typeof value !== 'string') return value
  const schema = await readInput(tx, id, keys.schema)
  if (!schema) return { refusal: 'The schema of the input was not found' }
  if (!isJsonObject(schema.value)) return { refusal: 'The schema of the input is not a JSON object' }
  const refusal = refusalOf(schema.value, JSON.parse(value), { mend: true })
  if (refusal) return { refusal: `The input does not fit its schema${refusal.place && ` at ${refusal.place}`}: ${refusal.reason}` }
  return { key: keys.response, value }
}

/** What stands for something else (a variable, text that is JSON) gives way to it. */
async function workedOut(parts: Parts, tx: Tx, text: string): Promise<string | { readonly refusal: string }> {
  try {
    return hydrated(text, await hydrationContext(parts, tx, [text]))
  } catch (error) {
    if (error instanceof ApiError) return { refusal: `The input could not be worked out: ${error.message}` }
    throw error
  }
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}
