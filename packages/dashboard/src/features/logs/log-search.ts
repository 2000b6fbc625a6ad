/** Filters of the logs in the URL. */
export interface LogSearch {
  /** Minimum level, as digits. */
  readonly level?: string | undefined
  readonly text?: string | undefined
}
