import { createFileRoute } from '@tanstack/react-router'
import { AutomationsPage } from '../../features/automations/automations-page.tsx'

export const Route = createFileRoute('/automations/')({ component: AutomationsPage })
