/** What a checker is doing. A compilation depends on the schema alone, so that one that takes too long always will. */
export type Phase = 'idle' | 'compiling' | 'judging'

/** By the number that the worker thread notes in shared memory. */
export const phases: readonly Phase[] = ['idle', 'compiling', 'judging']
