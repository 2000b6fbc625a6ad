import type { Automation } from '@millrace/contracts/automation.ts'
import { useState } from 'react'
import { RowSwitch as Switch } from '../../ui/row-switch.tsx'

interface AutomationSwitchProps {
  readonly automation: Pick<Automation, 'id' | 'name' | 'enabled'>
  onToggle(automation: Pick<Automation, 'id' | 'name'>, enabled: boolean): Promise<boolean>
}

/** Whether it acts. Moves at once, and back if the server refuses. */
export function AutomationSwitch({ automation, onToggle: onTurn }: AutomationSwitchProps) {
  const [turning, setTurning] = useState<boolean>()
  const turn = async (enabled: boolean) => {
    setTurning(enabled)
    await onTurn(automation, enabled)
    setTurning(undefined)
  }
  return <Switch label={`${automation.name} enabled`} checked={turning ?? automation.enabled} onChange={(enabled) => void turn(enabled)} />
}
