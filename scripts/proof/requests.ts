import { setTimeout as pause } from 'node:timers/promises'

export interface Response {
  /** 0 when no response arrived. */
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: proofs check the answers that they read
  readonly body: any
  readonly headers: Headers | undefined
  /** The code of a broken connection, or the body of an error. */
  readonly problem: string
}

const timeoutMs = 10_000

/** Sends one request. Never throws. */
export async function send(url: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  try {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    const parsed = response.headers.get('content-type')?.includes('json') && text !== '' ? JSON.parse(text) : null
    return { status: response.status, body: parsed, headers: response.headers, problem: response.ok ? '' : text }
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as { code?: string } | undefined)?.code : undefined
    return { status: 0, body: null, headers: undefined, problem: cause ?? (error instanceof Error ? error.name : String(error)) }
  }
}

export const isSuccess = ({ status }: { readonly status: number }): boolean => status >= 200 && status < 300

/** Counts of the attempts that failed, by status or by the code of a broken connection. */
export class FailureCounts {
  readonly #counts = new Map<string, number>()

  add({ status, problem }: Response): void {
    const key = status === 0 ? problem : String(status)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** The number of failures that are not listed. */
  except(...expected: readonly string[]): number {
    return [...this.#counts].reduce((sum, [key, count]) => sum + (expected.includes(key) ? 0 : count), 0)
  }

  get text(): string {
    return this.#counts.size === 0 ? 'none' : [...this.#counts].map(([key, count]) => `${key}: ${count}`).join(', ')
  }
}

/** Repeats a POST until it succeeds, as clients of the API do. */
export async function postUntilAccepted(url: string, path: string, body: unknown, failures: FailureCounts, retryMs = 100): Promise<Response> {
  for (;;) {
    const response = await send(url, 'POST', path, body)
    if (isSuccess(response)) return response
    failures.add(response)
    await pause(retryMs)
  }
}
