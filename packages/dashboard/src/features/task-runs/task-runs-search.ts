/** What narrows task runs, as it stands in the address. */
export interface TaskRunsSearch {
  readonly name?: string | undefined
  readonly state?: string | undefined
}
