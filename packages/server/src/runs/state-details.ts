import type { StateDetails } from '@millrace/contracts/state.ts'
import { dropZeroFraction } from '../lib/time.ts'
import { withDefaultDetails } from '../orchestration/states.ts'
import { property } from '../storage/row-shapes.ts'

const defaults = withDefaultDetails()

/** Copies the details that differ from their default. Compiled, because reading properties by variable names took most of the time. */
const withoutDefaults = new Function(
  'details',
  'defaults',
  `const stored = {}; ${Object.keys(defaults)
    .map((name) => `if (${property('details', name)} !== ${property('defaults', name)}) ${property('stored', name)} = ${property('details', name)}`)
    .join('; ')}; return stored`,
) as (details: StateDetails, defaults: StateDetails) => Partial<StateDetails>

/** Details as stored: without those that have their default. With them, they would be the largest part of a run and of each state in its history. */
export const storedDetails = (details: StateDetails): string => JSON.stringify(withoutDefaults(details, defaults))

/** Details as rules use them. */
export const parseDetails = (stored: string): StateDetails => ({ ...defaults, ...(JSON.parse(stored) as Partial<StateDetails>) })

/** Only a text with all details contains this. Older versions stored these. */
const defaultCacheKey = '"cache_key":null'

const afterFlowRunId = JSON.stringify({ ...defaults, flow_run_id: undefined }).slice(1)
const afterTaskRunId = JSON.stringify({ ...defaults, flow_run_id: undefined, task_run_id: undefined }).slice(1)
const onlyFlowRunId = /^\{"flow_run_id":"[^"]*"\}$/
const onlyRunIds = /^\{"flow_run_id":(?:"[^"]*"|null),"task_run_id":"[^"]*"\}$/

/** Details as the text of a response. Most states have no other details than their runs, so these need no parsing. */
export function completeDetails(stored: string): string {
  if (stored.includes(defaultCacheKey) && !stored.includes(zeroFraction)) return stored
  if (onlyFlowRunId.test(stored)) return `${stored.slice(0, -1)},${afterFlowRunId}`
  if (onlyRunIds.test(stored)) return `${stored.slice(0, -1)},${afterTaskRunId}`
  return JSON.stringify(toDetailsResponse(parseDetails(stored)))
}

/** Stored times have six digits, so that SQL can compare them; responses leave out a zero fraction. */
const zeroFraction = '.000000Z"'

export function toDetailsResponse(details: StateDetails): StateDetails {
  const { scheduled_time, cache_expiration, pause_timeout } = details
  if (!scheduled_time && !cache_expiration && !pause_timeout) return details
  return {
    ...details,
    scheduled_time: scheduled_time && dropZeroFraction(scheduled_time),
    cache_expiration: cache_expiration && dropZeroFraction(cache_expiration),
    pause_timeout: pause_timeout && dropZeroFraction(pause_timeout),
  }
}
