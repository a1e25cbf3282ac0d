import type { Texts } from './en.ts'

export const texts = {
  lead: '使用一个账户登录各个应用。',
  account: '您的账户',
  accountText: '您的个人资料、密码、第二因素和应用。',
  console: '控制台',
  consoleText: '面向管理员：应用、用户和活动。',
  documentation: '文档',
  documentationText: '如何基于此服务器构建应用，以及如何运行和管理它。英文。',
  api: 'API 参考',
  apiText: '面向开发者：查看和试用所有端点。',
  metadata: '服务器元数据',
  metadataText: '面向客户端库：所有端点的地址。',
} satisfies Texts
