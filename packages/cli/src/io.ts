/** A stream that the command writes to. */
export interface Sink {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Everything that a command needs from its process. Tests pass their own. */
export interface Io {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Program, with its first arguments, that starts a server. Absent in the repository, which has a script. */
  readonly serverCommand?: readonly string[]
}
