import { UnauthorizedError } from '@millrace/client/errors.ts'
import type { Subscription, SubscriptionOptions } from '@millrace/client/subscriptions/subscription.ts'
import { onCredentialsChange } from './credentials.ts'

/** Delay before a subscription that failed starts again. */
const restartSeconds = 5

/**
 * Calls `onItem` for each item of a subscription. The subscription itself reconnects; it fails if the server cannot be reached at the start or rejects the
 * credentials, and is then started again: after a delay, or when the user signs in. Returns a function that ends it.
 */
export function follow<T>(
  subscribe: (options: SubscriptionOptions) => Subscription<T>,
  onItem: (item: T) => void,
  options: Omit<SubscriptionOptions, 'signal'> = {},
): () => void {
  let subscription: Subscription<T>
  let timer: number | undefined
  let isEnded = false
  let stopWaiting = () => {}

  const start = async () => {
    window.clearTimeout(timer)
    stopWaiting()
    subscription = subscribe(options)
    try {
      for await (const item of subscription) onItem(item)
    } catch (error) {
      if (isEnded) return
      options.onDisconnect?.()
      stopWaiting = onCredentialsChange(() => void start())
      // A wrong password stays wrong.
      if (!(error instanceof UnauthorizedError)) timer = window.setTimeout(() => void start(), restartSeconds * 1000)
    }
  }
  void start()
  return () => {
    isEnded = true
    window.clearTimeout(timer)
    stopWaiting()
    void subscription.return()
  }
}
