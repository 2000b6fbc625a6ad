/** The part of `WebSocket` that the client uses. The class of the package `ws` has it too. */
export interface WebSocketLike {
  /** 0 is connecting, 1 is open. */
  readonly readyState: number
  // biome-ignore-start lint/suspicious/noExplicitAny: browsers, Node and `ws` have different types of events
  onopen: ((event: any) => void) | null
  onmessage: ((event: any) => void) | null
  onerror: ((event: any) => void) | null
  onclose: ((event: any) => void) | null
  // biome-ignore-end lint/suspicious/noExplicitAny: see above
  send(data: string): void
  close(): void
}

export type WebSocketConstructor = new (url: string, protocols?: string | string[]) => WebSocketLike

/** The class of the options, or the global one. */
export function webSocketClass(given: WebSocketConstructor | undefined): WebSocketConstructor {
  const found = given ?? (globalThis as { readonly WebSocket?: WebSocketConstructor }).WebSocket
  if (found) return found
  throw new TypeError(
    'This runtime has no WebSocket. Use Node 22 or later, or pass a class to the client: new MillraceClient({ url, WebSocket }), for example that of the package "ws".',
  )
}
