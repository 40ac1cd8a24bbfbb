import { serve } from "../protocol/serve.ts";
import { authentik } from "./plugin.ts";

await serve(authentik());
