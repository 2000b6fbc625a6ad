/** URL parameters of the task run list. */
export interface TaskRunsSearch {
  readonly name?: string | undefined
  readonly state?: string | undefined
}
