import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { describeError } from '../api/api-error.ts'
import { showToast } from '../ui/toast.tsx'

/** Says what went wrong, with the number to ask about it by. */
function showError(error: unknown): void {
  const { title, detail, requestId } = describeError(error)
  showToast(title, { tone: 'bad', detail: [detail, requestId && `Request ${requestId}`].filter(Boolean).join(' · ') })
}

/** Something that is asked of the server: one at a time, its end said, and the nouns it changes read again. */
export function useAction(...nouns: readonly string[]) {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const readAgain = async (gone: string | undefined) => {
    const isOurs = (key: readonly unknown[]) => nouns.includes(String(key[0]))
    const isGone = (key: readonly unknown[]) => gone !== undefined && key.includes(gone)
    await queryClient.invalidateQueries({ predicate: ({ queryKey: key }) => isOurs(key) && isGone(key), refetchType: 'none' })
    await queryClient.invalidateQueries({ predicate: ({ queryKey: key }) => isOurs(key) && !isGone(key) })
  }
  /** Whether it was done. What it made away with, by id or name, may still be on the screen for a moment, and is not asked for again. */
  const attempt = async (deed: () => Promise<string | undefined>, gone?: string): Promise<boolean> => {
    setBusy(true)
    try {
      const said = await deed()
      if (said) showToast(said)
      await readAgain(gone)
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
