import type { Automation } from '@millrace/contracts/automation.ts'
import { useState } from 'react'
import { RowSwitch as Switch } from '../../ui/row-switch.tsx'

interface AutomationSwitchProps {
  readonly automation: Pick<Automation, 'id' | 'name' | 'enabled'>
  onToggle(automation: Pick<Automation, 'id' | 'name'>, enabled: boolean): Promise<boolean>
}

/** Optimistic switch: reverts if the server rejects the change. */
export function AutomationSwitch({ automation, onToggle }: AutomationSwitchProps) {
  const [turning, setTurning] = useState<boolean>()
  const turn = async (enabled: boolean) => {
    setTurning(enabled)
    await onToggle(automation, enabled)
    setTurning(undefined)
  }
  return <Switch label={`${automation.name} enabled`} checked={turning ?? automation.enabled} onChange={(enabled) => void turn(enabled)} />
}
