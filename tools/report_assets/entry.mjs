// What the report uses of its libraries, and no more: the bundler drops the rest.
import * as core from "echarts/core";
import { CustomChart, LineChart, BarChart } from "echarts/charts";
import {
  AriaComponent,
  DataZoomInsideComponent,
  DataZoomSliderComponent,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
} from "echarts/components";
import { CanvasRenderer } from "echarts/renderers";
import cytoscape from "cytoscape";
import dagre from "cytoscape-dagre";
import { gunzipSync, strFromU8 } from "fflate";

core.use([
  CustomChart,
  LineChart,
  BarChart,
  AriaComponent,
  DataZoomInsideComponent,
  DataZoomSliderComponent,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
  CanvasRenderer,
]);
cytoscape.use(dagre);

globalThis.vendor = { echarts: core, cytoscape, gunzipSync, strFromU8 };
