import { createFileRoute } from '@tanstack/react-router'
import { WorkPoolsPage } from '../../features/work-pools/work-pools-page.tsx'

export const Route = createFileRoute('/work-pools/')({ component: WorkPoolsPage })
