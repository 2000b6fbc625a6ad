import type { Automation } from '@millrace/contracts/automation.ts'
import { useQueryClient } from '@tanstack/react-query'
import { deleteAutomation, resumeAutomation, setAutomationEnabled } from '../../api/automations.ts'
import { describeError } from '../../api/describe-error.ts'
import { showToast } from '../../ui/toast.tsx'

/** Actions on an automation, for its row and its page. Each shows a toast. */
export function useAutomationActions() {
  const queryClient = useQueryClient()
  const report = async (request: Promise<unknown>, message: string, deletedId?: string): Promise<boolean> => {
    try {
      await request
      showToast(message)
      return true
    } catch (error) {
      const { title, detail } = describeError(error)
      showToast(title, { tone: 'bad', ...(detail && { detail }) })
      return false
    } finally {
      // Queries of the deleted automation may still be mounted and would get a 404.
      await queryClient.invalidateQueries({
        queryKey: ['automations'],
        predicate: ({ queryKey }) => deletedId === undefined || !queryKey.includes(deletedId),
      })
    }
  }
  return {
    setEnabled: ({ id, name }: Pick<Automation, 'id' | 'name'>, enabled: boolean) =>
      report(setAutomationEnabled(id, enabled), `${enabled ? 'Enabled' : 'Disabled'} ${name}`),
    resume: ({ id, name }: Pick<Automation, 'id' | 'name'>) => report(resumeAutomation(id), `Resumed ${name}`),
    remove: ({ id, name }: Pick<Automation, 'id' | 'name'>) => report(deleteAutomation(id), `Deleted ${name}`, id),
  }
}
