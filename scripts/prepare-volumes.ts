// `docker compose up` runs this before the rest: secrets into their volumes, tickets into an empty desk. A second run
// changes nothing. The first argument is the folder that the volumes of secrets are mounted in.

import { fillDesk } from './fill-desk.ts'
import { placeSecrets } from './place-secrets.ts'

const [folder, databasePath] = [process.argv[2], process.env['DATABASE_PATH']]
if (folder === undefined || !databasePath) {
  process.stderr.write('Usage: DATABASE_PATH=FILE node scripts/prepare-volumes.ts FOLDER\n')
  process.exitCode = 1
} else {
  await fillDesk(databasePath, await placeSecrets(folder))
  process.stderr.write(
    `Secrets and tickets are in place. The password of the desk's people, and that of Grafana's admin:
  docker compose exec backend-api cat ${folder}/backend-api/IDENTITY_PASSWORD
  docker compose exec grafana cat ${folder}/grafana/ADMIN_PASSWORD\n`,
  )
}
