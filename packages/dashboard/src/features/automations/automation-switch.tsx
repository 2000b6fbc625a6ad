import type { Automation } from '@millrace/contracts/automation.ts'
import { useState } from 'react'
import { RowSwitch } from '../../ui/row-switch.tsx'

interface AutomationSwitchProps {
  readonly automation: Pick<Automation, 'id' | 'name' | 'enabled'>
  onToggle(automation: Pick<Automation, 'id' | 'name'>, enabled: boolean): Promise<boolean>
}

/** Optimistic switch: reverts if the server rejects the change. */
export function AutomationSwitch({ automation, onToggle }: AutomationSwitchProps) {
  const [pending, setPending] = useState<boolean>()
  const toggle = async (enabled: boolean) => {
    setPending(enabled)
    await onToggle(automation, enabled)
    setPending(undefined)
  }
  return <RowSwitch label={`${automation.name} enabled`} checked={pending ?? automation.enabled} onChange={(enabled) => void toggle(enabled)} />
}
