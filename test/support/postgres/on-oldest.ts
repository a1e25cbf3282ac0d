// Runs before each test file of the project `oldest`, whose workers serve no other project.
process.env.GATEHOUSE_TEST_DATABASE_URL = process.env.GATEHOUSE_TEST_OLDEST_URL
process.env.GATEHOUSE_TEST_TEMPLATE = process.env.GATEHOUSE_TEST_OLDEST_TEMPLATE
