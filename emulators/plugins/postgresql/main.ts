import { serve } from "../protocol/serve.ts";
import { postgresql } from "./plugin.ts";

await serve(postgresql());
