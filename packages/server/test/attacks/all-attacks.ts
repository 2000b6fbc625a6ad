import { blockReferences } from './block-references.ts'
import { automationPatterns, eventQueries, eventSubscriptions } from './label-patterns.ts'
import { longLogs } from './long-logs.ts'
import { longNames, nameSearches } from './long-names.ts'
import { passwordGuesses } from './password-guesses.ts'
import { pipelinedRequests } from './pipelined-requests.ts'
import { eventFanOut, unsignedMessages } from './subscribers.ts'
import type { Attack } from './target.ts'

/** All attacks by name. A new one needs its file and a line here. */
export const allAttacks: Readonly<Record<string, Attack>> = {
  pipelinedRequests,
  automationPatterns,
  eventQueries,
  eventSubscriptions,
  blockReferences,
  nameSearches,
  longNames,
  longLogs,
  passwordGuesses,
  eventFanOut,
  unsignedMessages,
}
