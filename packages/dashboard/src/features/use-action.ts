import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { describeError } from '../api/describe-error.ts'
import { showToast } from '../ui/toast.tsx'

/** Shows an error toast with the request id. */
function showError(error: unknown): void {
  const { title, detail, requestId } = describeError(error)
  showToast(title, { tone: 'bad', detail: [detail, requestId && `Request ${requestId}`].filter(Boolean).join(' · ') })
}

/** Runs one request at a time, shows its result in a toast and refetches the queries of the given nouns. */
export function useAction(...nouns: readonly string[]) {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const refetch = async (deleted: string | undefined) => {
    const isAffected = (key: readonly unknown[]) => nouns.includes(String(key[0]))
    const isDeleted = (key: readonly unknown[]) => deleted !== undefined && key.includes(deleted)
    await queryClient.invalidateQueries({ predicate: ({ queryKey: key }) => isAffected(key) && isDeleted(key), refetchType: 'none' })
    await queryClient.invalidateQueries({ predicate: ({ queryKey: key }) => isAffected(key) && !isDeleted(key) })
  }
  /** Resolves to true on success. `deleted` is the id or name of a deleted item, which may still be visible for a moment and is not refetched. */
  const attempt = async (action: () => Promise<string | undefined>, deleted?: string): Promise<boolean> => {
    setBusy(true)
    try {
      const message = await action()
      if (message) showToast(message)
      await refetch(deleted)
      return true
    } catch (error) {
      showError(error)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { busy, attempt }
}
