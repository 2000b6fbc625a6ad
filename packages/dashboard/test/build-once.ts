import { builtDashboard } from '../../../scripts/build-dashboard.ts'

/** Before the first test, and outside of every test's time: on a busy machine a build takes longer than a test may. */
export const setup = (): void => void builtDashboard()
