import { describeEveryRoute } from '../../test-support/every-route.ts'
import { addresses } from '../../test-support/route-samples.ts'

await describeEveryRoute(addresses.filter(({ path }) => path.startsWith('/organization/')))
