import { describeEveryRoute } from '@floorpass/testing/every-route'
import { addresses } from '@floorpass/testing/route-samples'

await describeEveryRoute(addresses.filter(({ path }) => path.startsWith('/organization/')))
