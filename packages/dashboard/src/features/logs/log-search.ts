/** What narrows logs, as it stands in the address. */
export interface LogSearch {
  /** The least level, as a number in digits. */
  readonly level?: string | undefined
  readonly text?: string | undefined
}
