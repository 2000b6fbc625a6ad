import type { MillraceClient } from '@millrace/client/client.ts'
import { sleep } from '@millrace/client/retry.ts'
import { isEnded } from '@millrace/client/vocabulary/states.ts'
import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { State } from '@millrace/contracts/state.ts'

export interface RunChange {
  readonly run: FlowRunResponse
  /** The states since the last change, oldest first. At first these are all states of the run. */
  readonly states: readonly State[]
}

/** Polls become less frequent while the state stays. */
const pollSecondsMin = 0.1
const pollSecondsMax = 1

/** Returns the states of a run as they change, each once, and ends with the run. A state that is shorter than a poll is not missed. */
export async function* watchRun(client: MillraceClient, id: string, signal: AbortSignal): AsyncGenerator<RunChange> {
  const returned = new Set<string>()
  let lastState: string | null | undefined
  for (let delay = pollSecondsMin; ; ) {
    const run = await client.flowRuns.read(id, { signal })
    if (run.state_id === lastState) delay = Math.min(delay * 1.5, pollSecondsMax)
    else {
      lastState = run.state_id
      delay = pollSecondsMin
      const states = (await client.flowRuns.listStates(id, { signal })).filter((state) => !returned.has(state.id))
      for (const state of states) returned.add(state.id)
      yield { run, states }
    }
    if (isEnded(run.state_type)) return
    await sleep(delay, signal)
  }
}
